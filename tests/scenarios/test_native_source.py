"""What mypyc is given to read of a module is the same to Python."""

from dataclasses import MISSING, fields, replace

import pytest

from tools.native_source import rewritten_for_mypyc

MODULE = '''
"""A module."""
from dataclasses import dataclass, field
from kraftsim.controller.core.message import Structure
from kraftsim.controller.core.value import slotted, value

NEVER_MS = NEVER_US = 1 << 61
NAMES: dict[str, int] = {"one": 1}

@value
class Place:
    offset: int
    epoch: int = -1
    spelled: list[bytes] = field(default_factory=list, compare=False, repr=False)

@value
class Sender:
    name: str
    client: str = field(default="ANONYMOUS", compare=False)

@dataclass(frozen=True, slots=True)
class Following:
    fetch_ms: int
    has_fetched: bool = False

@slotted()
class Leading:
    told: dict[int, int] = field(default_factory=dict)

@value(kw_only=False, eq=False)
class Itself:
    epoch: int

class Heartbeat(Structure):
    __slots__ = ("broker_id", "epoch")

    def __init__(self, *, broker_id: int, epoch: int = -1) -> None:
        self.broker_id = broker_id
        self.epoch = epoch
'''


@pytest.fixture(params=[str, rewritten_for_mypyc], ids=["as written", "as compiled"])
def module(request):
    names = {"__name__": "kraftsim.read"}
    exec(request.param(MODULE), names)
    return names


def test_constants_have_their_values(module):
    assert (1 << 61, 1 << 61, {"one": 1}) == (
        module["NEVER_MS"],
        module["NEVER_US"],
        module["NAMES"],
    )


def test_a_value_is_made_by_name_and_compared_by_what_counts(module):
    place = module["Place"](offset=7)

    assert place == module["Place"](offset=7, epoch=-1, spelled=[b"x"])
    assert hash(place) == hash(module["Place"](offset=7))
    assert place != module["Place"](offset=7, epoch=0)
    assert place != (7, -1)
    assert "Place(offset=7, epoch=-1)" == repr(place)
    assert ["offset", "epoch", "spelled"] == [field.name for field in fields(place)]
    assert 3 == replace(place, epoch=3).epoch
    with pytest.raises(TypeError):
        module["Place"](7)


def test_a_field_without_comparison_has_its_default(module):
    sender = module["Sender"](name="orders")

    assert "ANONYMOUS" == sender.client
    assert sender == module["Sender"](name="orders", client="alice")


def test_what_a_factory_makes_is_nobody_elses(module):
    module["Place"](offset=1).spelled.append(b"x")
    module["Leading"]().told[1] = 2

    assert not module["Place"](offset=1).spelled
    assert not module["Leading"]().told


def test_other_dataclasses_are_made_by_place_too_and_hashed_where_they_were(module):
    following = module["Following"]

    assert following(5, True) == following(fetch_ms=5, has_fetched=True)
    assert {following(5)} == {following(5), following(5, False)}
    with pytest.raises(TypeError):
        hash(module["Leading"]())
    assert module["Itself"](1) != module["Itself"](1)


def test_a_message_knows_its_attributes_and_their_defaults(module):
    known = {field.name: field.default for field in fields(module["Heartbeat"])}

    assert known == {"broker_id": MISSING, "epoch": -1}
    assert 2 == replace(module["Heartbeat"](broker_id=2), epoch=3).broker_id
