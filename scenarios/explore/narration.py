"""Describes a history in sentences, one per step."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from kraftsim.controller.core.camel_case import lower_camel

from .identities import FIRST_ID
from .lone import Requester

if TYPE_CHECKING:
    from .steps import Action, Steps


SENTENCES: Mapping[str, str] = {
    "receives": "{me} receives from {peer}: {message}",
    "receives_late": "{me} receives from {peer}, late or twice: {message}",
    "receives_response": "{me} receives the response of {peer}: {message}",
    "times_out_on": "{me} times out waiting for a response of {peer}",
    "answers_parked_fetch_of": "{me} answers the parked fetch of {peer} at its deadline",
    "is_due_to_send": "{me} may send to {peer} again, after its pause",
    "role_times_out": "{me} loses patience",
    "announces_again_to": "{me} announces its leadership to {peer} again",
    "hears": "{me} receives a heartbeat of {peer}: {message}",
    "hears_a_request_to_stop": "{me} receives the heartbeat of {peer} for its controlled shutdown",
    "hears_of_a_new_process": "{me} registers a new process of {peer} after a shutdown: {message}",
    "hears_a_proposal": "{me} receives an ISR that {peer} proposes: {message}",
    "hears_a_request_to_elect": "{me} receives a request for an election: {message}",
}


def narrate(steps: "Steps", index: int, action: "Action") -> str:
    """Returns a sentence about one event at the node with this index."""
    event, *arguments = action
    me, values = _name(steps.ids[index]), steps.decoded(event, *arguments)
    sentence = SENTENCES.get(event) or "{me} " + str(event).replace("_", " ")
    peer = _name(values[0], of_broker=index >= steps.voters) if values else ""
    return sentence.format(me=me, peer=peer, message=_message(values))


def _message(values: list[Any]) -> str:
    """Returns the message among the arguments of an event, or its words."""
    if len(values) == 2 and is_dataclass(values[1]):
        return brief(values[1])
    words = values[1:] if values and isinstance(values[0], int) else values
    return ", ".join(map(str, words))


def _name(requester: Requester, *, of_broker: bool = False) -> str:
    """Returns the name of a node; for a conversation of a broker, with the conversation's name."""
    if isinstance(requester, int):
        return f"controller {requester}" if requester >= FIRST_ID else f"broker {requester}"
    return f"a controller ({requester})" if of_broker else f"the broker ({requester})"


def brief(message: Any) -> str:
    """Returns the message's type and its integer fields that differ from their defaults.

    Fields have the names that they have in JSON.
    """
    topics: Any = getattr(message, "topics", ()) or getattr(message, "responses", ())
    inside = topics[0].partitions[0] if topics else message
    numbers: Mapping[str, int] = {
        field.name: value
        for field in fields(inside)
        if isinstance(value := getattr(inside, field.name), int) and value != field.default
    }
    return " ".join(
        [
            type(message).__name__,
            *(f"{lower_camel(name)}={int(number)}" for name, number in numbers.items()),
        ]
    )
