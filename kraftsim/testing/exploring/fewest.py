"""Finds the fewest faults with which a test still fails."""

from collections.abc import Callable, Collection, Sequence

RERUNS_MAX = 30  # runs of one failed test in which faults are left out


def fewest(names: Sequence[str], fails: Callable[[Collection[str]], bool]) -> tuple[str, ...]:
    """Returns the fewest of the faults for which `fails` is True.

    Without each one of the others it is False, unless RERUNS_MAX calls have been made. All of them
    are taken to fail. Leaves out halves first, then ever smaller parts: random faults are many, and
    most are not needed.
    """
    if fails(()):
        return ()
    kept, left = tuple(names), RERUNS_MAX - 1
    size = (len(kept) + 1) // 2
    while len(kept) > 1 and left:
        for begin in range(0, len(kept), size):
            fewer = kept[:begin] + kept[begin + size :]
            if fewer and left:
                left -= 1
                if fails(fewer):
                    kept, size = fewer, min(size, (len(fewer) + 1) // 2)
                    break
        else:
            if size == 1:
                break
            size = (size + 1) // 2
    return kept
