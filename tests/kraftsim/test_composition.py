"""A cluster is composed: each of its parts is given what it needs, and none has the cluster."""

import inspect
from collections.abc import Iterator
from contextlib import suppress
from types import MethodType

import pytest

from kraftsim import Cluster, CommandError

NOUNS = (
    *("brokers", "controllers", "topics", "reassignments", "configs", "quorum", "clock"),
    *("faults", "snapshots", "lessons", "requests", "log", "events"),
)


def parts(kraft: Cluster) -> dict[str, object]:
    """The parts of a cluster: its public attributes that have verbs."""
    found: dict[str, object] = {}
    for name in dir(kraft):
        with suppress(CommandError):  # of what only a running cluster has
            value = getattr(kraft, name)
            verbs = map(inspect.iscoroutinefunction, vars(type(value)).values())
            if not name.startswith("_") and any(verbs):
                found[name] = value
    return found


def given(part: object) -> Iterator[object]:
    """What a part was given, also inside its attributes, their functions and containers."""
    seen: list[object] = []
    waiting = [part]
    while waiting:
        each = waiting.pop()
        if any(each is other for other in seen) or inspect.ismodule(each) or inspect.isclass(each):
            continue
        seen.append(each)
        yield each
        if isinstance(each, MethodType):
            waiting.append(each.__self__)
        if type(each).__module__.startswith("kraftsim.api"):
            waiting += getattr(each, "__dict__", {}).values()
        waiting += getattr(each, "args", ())
        for cell in getattr(each, "__closure__", None) or ():
            waiting.append(cell.cell_contents)


def test_a_cluster_and_each_of_its_parts_have_no_base_class() -> None:
    assert Cluster.__mro__ == (Cluster, object)
    for part in parts(Cluster()).values():
        assert type(part).__mro__ == (type(part), object)


def test_the_nouns_of_the_command_line_are_the_parts() -> None:
    """Nodes of a user live in the simulated loop of a test, and random faults beside a test."""
    assert set(parts(Cluster())) == {*NOUNS, "chaos", "nodes"}


@pytest.mark.parametrize("name", NOUNS)
def test_a_part_is_a_class_of_its_own_module_and_has_no_cluster(name: str) -> None:
    kraft = Cluster()
    part = getattr(kraft, name)
    kind = type(part)

    assert (kind.__module__.rpartition(".")[2], kind.__name__.lower()) == (name, name)
    assert not hasattr(kind, "__getattr__")
    assert kind.__getattribute__ is object.__getattribute__
    assert all(each is not kraft for each in given(part))


async def test_no_part_reaches_its_running_cluster() -> None:
    async with Cluster(brokers=1, clock="virtual", seed=1) as kraft:
        await kraft.faults.add({"net.partition": {"on": 1}})
        await kraft.snapshots.save("cut")
        for part in parts(kraft).values():
            assert all(each is not kraft for each in given(part))


def test_the_search_for_the_cluster_finds_it() -> None:
    kraft = Cluster()
    kraft.quorum._controller = kraft  # type: ignore[assignment]

    assert any(each is kraft for each in given(kraft.quorum))
    kraft.log._live = kraft.show  # type: ignore[assignment]
    assert any(each is kraft for each in given(kraft.log))
