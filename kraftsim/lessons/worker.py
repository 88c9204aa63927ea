"""The process that makes tapes and answers questions about them, one line of JSON each.

It is a process of its own, so that a lesson costs no broker of a running cluster its lease, and so
that its memory has a bound. It ends when its standard input does, and when its memory is full: the
garbage of a large lesson can be too scattered for the next one. The line before the first question
is the offer of a run, or null.
"""

import gc
import json
import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from typing import Any, Final

from kraftsim.scenarios.document.scenario import Scenario

from ..errors import CommandError
from ..files.scenario_files import find, read_sound
from .answers import Answers
from .documents import MEMORY_FULL
from .exports.files import export
from .link import read_link
from .offer import Offer
from .tapes import Tapes

MEMORY_MAX: Final = 2 * 1024**3  # bytes of address space


def main() -> None:
    """Answers each line of standard input with a line."""
    _bound_memory()
    words = json.loads(sys.stdin.readline())
    offer = Offer(**words) if words else None
    tapes = Tapes(partial(_scenario, offer))
    answers = Answers(tapes, offer)
    gc.disable()  # a collection in the middle of an answer takes longer than the answer
    for line in sys.stdin:
        made, question = tapes.made, json.loads(line)
        with _planted(offer, question["words"]):
            reply = _answered(answers, question)
        print(json.dumps(reply), flush=True)
        if reply.get("kind") == MEMORY_FULL:
            return
        gc.collect(0 if tapes.made == made else 2)  # plays that were used once; tapes too


def _scenario(offer: Offer | None, name: str) -> Scenario:
    if offer is not None and name == offer.name:
        return offer.scenario()
    return read_sound(find(name)).scenario


def _planted(offer: Offer | None, words: Mapping[str, object]) -> AbstractContextManager[None]:
    """Plants the bug of the offered run for a question about it."""
    if offer is None or _lesson_of(words) != offer.name:
        return nullcontext()
    return offer.planted()


def _lesson_of(words: Mapping[str, object]) -> object:
    """Returns the name of the lesson that a question is about; None for the list of lessons."""
    return read_link(str(words["link"])).name if "link" in words else words.get("name")


def _answered(answers: Answers, question: dict[str, Any]) -> dict[str, object]:
    try:
        is_export = question["ask"] == "export"
        ask = partial(export, answers) if is_export else getattr(answers, question["ask"])
        return {"answer": ask(**question["words"])}
    except CommandError as error:
        return {"error": str(error), "kind": type(error).__name__}
    except (MemoryError, SystemError):  # Python 3.11 raises the second for a frame without memory
        text = "expected a smaller lesson, got one that fills the memory"
        return {"error": text, "kind": MEMORY_FULL}


def _bound_memory() -> None:
    with suppress(ImportError, ValueError, OSError):  # not on every system
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MAX, MEMORY_MAX))


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        main()
