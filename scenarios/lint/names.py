"""Finds unknown names: of `let`, claims, faults, mutants, events and cells."""

from collections.abc import Iterator

from kraftsim.simulation.event_row import EVENTS

from ..document.scenario import Scenario
from ..language.amounts import SETTINGS_OF
from ..language.reading import Path, Problem, document_of
from ..language.selectors import EACH
from ..language.suggestions import nearest
from ..language.texts import unknown_settings
from ..properties import ALL
from ..running.watch import ASSERTION, NODE_FAILED


def complaints(scenario: Scenario) -> Iterator[Problem]:
    """Yields the mistakes; raises Problem for a name of `let` that is used before it is bound."""
    yield from _unbound(scenario)
    _expect_in_order(scenario)
    yield from _unknown_failure(scenario)
    yield from _unknown_faults(scenario)
    yield from _pins_of_any_cell(scenario)
    yield from _unknown_mutants(scenario)
    yield from _captions(scenario)
    yield from _settings_of_texts(scenario)
    if not scenario.expect.always and not scenario.expect.names():
        yield Problem(("expect",), "expected a claim under expect:, got none")


def _captions(scenario: Scenario) -> Iterator[Problem]:
    """Yields captions of an unknown kind of event, and those of an event that has one already."""
    known: set[tuple[str, int, str]] = set()
    for number, caption in enumerate(scenario.lesson):
        keys = {(*caption.event, name) for name in caption.releases or ("",)}
        message = ""
        if unknown := [kind for kind in (caption.on, *caption.because) if kind not in EVENTS]:
            message = f"expected {nearest(unknown[0], EVENTS)}, got {unknown[0]!r}"
        elif known & keys:
            message = f"expected an event without a caption above, got {caption.on!r} again"
        if message:
            yield Problem(("lesson", number, "on"), message)
        known |= keys


def _settings_of_texts(scenario: Scenario) -> Iterator[Problem]:
    """Yields texts of steps and captions that name an unknown setting in braces."""
    texts: list[tuple[Path, str]] = [
        (("do", number, "say"), step.say) for number, step in enumerate(scenario.do)
    ]
    for number, caption in enumerate(scenario.lesson):
        texts += [(("lesson", number), text) for text in caption.texts]
    for path, text in texts:
        for word in unknown_settings(text):
            near = nearest(word, tuple(SETTINGS_OF))
            yield Problem(path, f"expected a setting in braces ({near}), got {word!r}")


def _unknown_failure(scenario: Scenario) -> Iterator[Problem]:
    """Yields a mistake if `fails_with` names no property, no claim and no failed process."""
    failure = scenario.expect.fails_with
    of_processes = (ASSERTION, NODE_FAILED)
    known = (*(property_.name for property_ in ALL), *scenario.expect.names(), *of_processes)
    if failure is not None and failure not in known:
        message = f"expected {nearest(failure, known)}, got {failure!r}"
        yield Problem(("expect", "fails_with"), message)


def _pins_of_any_cell(scenario: Scenario) -> Iterator[Problem]:
    for number, pin in enumerate(scenario.pins):
        if scenario.sweep and (pin.digest or pin.plan) and not pin.cell:
            message = "expected a cell of the sweep, because every cell has a run of its own"
            yield Problem(("pins", number), message)
        for value in pin.cell:
            name = value.partition("=")[0]
            if name not in scenario.sweep:
                near = nearest(name, tuple(scenario.sweep)) or "none, because there is no sweep"
                yield Problem(("pins", number, "cell"), f"expected {near}, got {name!r}")


def _unknown_faults(scenario: Scenario) -> Iterator[Problem]:
    """Yields claims of `during` whose fault is neither the id of a step nor a verb of the file."""
    kinds = () if scenario.chaos is None else scenario.chaos.kinds.members
    words = (*(step.word for step in scenario.do), *(kind.word for kind in kinds))
    known = tuple(dict.fromkeys((*(step.id for step in scenario.do if step.id), *words)))
    for number, claim in enumerate(scenario.expect.during):
        if claim.fault is not None and claim.fault not in known:
            near = nearest(claim.fault, known)
            message = f"expected {near}, got {claim.fault!r}"
            yield Problem(("expect", "during", number, "fault"), message)


def _unknown_mutants(scenario: Scenario) -> Iterator[Problem]:
    if not scenario.mutants:
        return
    from ..mutants import MUTANTS  # imported here, because importing all mutants is slow

    for number, name in enumerate(scenario.mutants):
        if name not in MUTANTS:
            known = sorted(MUTANTS)
            message = f"expected {nearest(name, known)}, got {name!r}"
            yield Problem(("mutants", number), message)


def _unbound(scenario: Scenario) -> Iterator[Problem]:
    known = ", ".join(f"${name}" for name in scenario.let) or "nothing"
    for path, name in _names(document_of(scenario)):
        if name not in scenario.let:
            yield Problem(path, f"${name} is not bound: `let` binds {known}")


def _expect_in_order(scenario: Scenario) -> None:
    """Raises Problem for a name in `let` that is used before it is bound."""
    later = set(scenario.let)
    for name, binding in scenario.let.items():
        for path, needed in _names(binding.nodes.to_document(), ("let", name)):
            if needed in later:
                raise Problem(path, f"expected a name that is bound above it, got ${needed}")
        later.remove(name)


def _names(document: object, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Yields every $name in a document with its path, except `$each` within the word `each`."""
    match document:
        case str() if document.startswith("$"):
            yield path, document[1:]
        case dict():
            names = (name for key, item in document.items() for name in _names(item, (*path, key)))
            yield from (name for name in names if name[1] != EACH or EACH not in document)
        case list():
            for number, item in enumerate(document):
                yield from _names(item, (*path, number))
