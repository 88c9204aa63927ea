"""Says on stderr why time stands still while a verb waits for time to pass."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Timer

from ..errors import CommandError
from ..http.client import call
from ..operations.clock import SHOW_CLOCK
from ..printable import printable

NOTICE_AFTER_S = 2.0  # seconds of a call


@contextmanager
def held_notice(url: str) -> Iterator[None]:
    """Prints what holds the clock of the service, if a call waits for it for NOTICE_AFTER_S."""
    timer = Timer(NOTICE_AFTER_S, _print_holder, (url,))
    timer.daemon = True  # an exit does not wait for the service
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _print_holder(url: str) -> None:
    with suppress(CommandError):  # the call itself shows what is wrong with the service
        clock = call(url, SHOW_CLOCK.method, SHOW_CLOCK.path, {})
        if clock["waiters"] and clock["standsStill"] is not None:
            print(
                printable(f"kraftsim: time stands still: {clock['standsStill']}"), file=sys.stderr
            )
