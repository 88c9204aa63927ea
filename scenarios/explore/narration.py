"""Prints a history in words, one line per step."""

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from .identities import FIRST_ID
from .lone import Asker

if TYPE_CHECKING:
    from .steps import Happening, Steps


SENTENCES: Mapping[str, str] = {
    "hears": "{me} receives from {other}: {said}",
    "hears_late": "{me} receives from {other}, late or twice: {said}",
    "is_told": "{me} receives the response of {other}: {said}",
    "gives_up_on": "{me} times out waiting for a response of {other}",
    "lets_go": "{me} answers the parked fetch of {other} at its deadline",
    "is_due_to_say": "{me} may send to {other} again, after its pause",
    "says_again_that_it_leads_to": "{me} announces its leadership to {other} again",
}


def told(steps: "Steps", place: int, happening: "Happening") -> str:
    """Returns the sentence for one step."""
    event, *about = happening
    me, spelled = _name(steps.ids[place]), steps.spelled(event, *about)
    sentence = SENTENCES.get(event) or "{me} " + str(event).replace("_", " ")
    other = _name(spelled[0], of_broker=place >= steps.voters) if spelled else ""
    return sentence.format(me=me, other=other, said=brief(spelled[1]) if len(spelled) > 1 else "")


def _name(asker: Asker, *, of_broker: bool = False) -> str:
    """Returns the name of a node; a broker's conversation is named by its subject."""
    if isinstance(asker, int):
        return f"controller {asker}" if asker >= FIRST_ID else f"broker {asker}"
    return f"a controller ({asker})" if of_broker else f"the broker ({asker})"


def brief(said: Any) -> str:
    """Returns the type of a message and its numbers that are not default values."""
    topics: Any = getattr(said, "topics", ()) or getattr(said, "responses", ())
    inside = topics[0].partitions[0] if topics else said
    numbers: Mapping[str, int] = {
        field.name: value
        for field in fields(inside)
        if isinstance(value := getattr(inside, field.name), int) and value != field.default
    }
    return " ".join(
        [type(said).__name__, *(f"{name}={int(number)}" for name, number in numbers.items())]
    )
