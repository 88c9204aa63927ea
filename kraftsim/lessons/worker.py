"""The process that makes tapes and answers questions about them, one line of JSON each.

It is a process of its own, so that a lesson costs no broker of a running cluster its lease, and so
that its memory has a bound. It ends when its standard input does, and when its memory is full: the
garbage of a large lesson can be too scattered for the next one.
"""

import gc
import json
import sys
from contextlib import suppress
from typing import Any, Final

from ..errors import CommandError
from ..files.scenario_files import find, read_sound
from .answers import Answers
from .documents import MEMORY_FULL
from .tapes import Tapes

MEMORY_MAX: Final = 2 * 1024**3  # bytes of address space


def main() -> None:
    """Answers each line of standard input with a line."""
    _bound_memory()
    tapes = Tapes(lambda name: read_sound(find(name)).scenario)
    answers = Answers(tapes)
    gc.disable()  # a collection in the middle of an answer takes longer than the answer
    for line in sys.stdin:
        made = tapes.made
        reply = _answered(answers, json.loads(line))
        print(json.dumps(reply), flush=True)
        if reply.get("kind") == MEMORY_FULL:
            return
        gc.collect(0 if tapes.made == made else 2)  # plays that were used once; tapes too


def _answered(answers: Answers, question: dict[str, Any]) -> dict[str, object]:
    try:
        return {"answer": getattr(answers, question["ask"])(**question["words"])}
    except CommandError as error:
        return {"error": str(error), "kind": type(error).__name__}
    except MemoryError:
        text = "expected a smaller lesson, got one that fills the memory"
        return {"error": text, "kind": MEMORY_FULL}


def _bound_memory() -> None:
    with suppress(ImportError, ValueError, OSError):  # not on every system
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MAX, MEMORY_MAX))


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        main()
