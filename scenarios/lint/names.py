"""Names that stand for nothing: of `let`, of claims, of mutants, of events."""

from collections.abc import Iterator

from ..journal_kinds import EVENTS
from ..properties import ALL
from ..reading import Problem, document_of
from ..run import ASSERTION
from ..scenario import Scenario
from ..selectors import EACH
from ..words import nearest


def complaints(scenario: Scenario) -> Iterator[str]:
    yield from _unbound(scenario)
    _expect_in_order(scenario)
    yield from _unknown_failure(scenario)
    yield from _unknown_faults(scenario)
    yield from _pins_of_any_cell(scenario)
    yield from _unknown_mutants(scenario)
    for number, caption in enumerate(scenario.lesson):
        if caption.on not in EVENTS:
            yield f"lesson[{number}].on: expected {nearest(caption.on, EVENTS)}, got {caption.on!r}"
    if not scenario.expect.always and not scenario.expect.names():
        yield "expect: nothing is claimed"


def _unknown_failure(scenario: Scenario) -> Iterator[str]:
    """What it fails with is a property, one of its own claims by its place, or a process that sees
    the impossible."""
    failure = scenario.expect.fails_with
    known = (*(one.name for one in ALL), *scenario.expect.names(), ASSERTION)
    if failure is not None and failure not in known:
        yield f"expect.fails_with: expected {nearest(failure, known)}, got {failure!r}"


def _pins_of_any_cell(scenario: Scenario) -> Iterator[str]:
    for number, pin in enumerate(scenario.pins):
        if scenario.sweep and (pin.digest or pin.plan) and not pin.cell:
            yield f"pins[{number}]: expected a cell: each of the sweep has a run of its own"
        for value in pin.cell:
            name = value.partition("=")[0]
            if name not in scenario.sweep:
                near = nearest(name, tuple(scenario.sweep)) or "none, for there is no sweep"
                yield f"pins[{number}].cell: expected {near}, got {name!r}"


def _unknown_faults(scenario: Scenario) -> Iterator[str]:
    """What is claimed for as long as a fault lasts needs one of that id, or of that verb."""
    kinds = () if scenario.chaos is None else scenario.chaos.kinds.members
    words = (*(step.word for step in scenario.do), *(kind.word for kind in kinds))
    known = tuple(dict.fromkeys((*(step.id for step in scenario.do if step.id), *words)))
    for number, one in enumerate(scenario.expect.during):
        if one.fault is not None and one.fault not in known:
            near = nearest(one.fault, known)
            yield f"expect.during[{number}].fault: expected {near}, got {one.fault!r}"


def _unknown_mutants(scenario: Scenario) -> Iterator[str]:
    if not scenario.mutants:
        return
    from ..mutants import MUTANTS  # every one of them: only who names some waits for that

    for number, name in enumerate(scenario.mutants):
        if name not in MUTANTS:
            known = sorted(MUTANTS)
            yield f"mutants[{number}]: expected {nearest(name, known)}, got {name!r}"


def _unbound(scenario: Scenario) -> Iterator[str]:
    for name in sorted(_names(document_of(scenario)) - set(scenario.let)):
        known = ", ".join(f"${one}" for one in scenario.let) or "nothing"
        yield f"${name} is not bound: `let` binds {known}"


def _expect_in_order(scenario: Scenario) -> None:
    """Names are bound one after the other, so that nobody waits for himself."""
    later = set(scenario.let)
    for name, binding in scenario.let.items():
        for needed in sorted(_names(binding.nodes.to_document()) & later):
            raise Problem(("let", name), f"expected names bound above it, got ${needed}")
        later.remove(name)


def _names(document: object) -> set[str]:
    """Every $name in it."""
    match document:
        case str() if document.startswith("$"):
            return {document[1:]}
        case dict():
            names = set().union(*(_names(one) for one in document.values()))
            return names - {EACH} if EACH in document else names
        case list():
            return set().union(*(_names(one) for one in document))
        case _:
            return set()
