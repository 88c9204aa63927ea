"""A fault of a running cluster: a step of a scenario without a trigger.

Left out are verbs that are operations of the cluster itself (topics, brokers that join or leave)
and verbs that only a simulated address book supports.
"""

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from re import fullmatch
from typing import Any, NamedTuple

from kraftsim.controller.core.node_id import numbers_of
from kraftsim.controller.core.settings import Settings
from kraftsim.simulation.streams import Streams
from kraftsim.simulation.world import World

from ..language.amounts import Amount
from ..language.positions import changed, found
from ..language.reading import Path, Problem, key_of, mapping, read, words_of
from ..language.selectors import Selector
from ..language.suggestions import nearest
from ..verbs import VERBS, Verb
from .fault_causes import CAUSES, Cause
from .own_node import OF_OWN_PROCESSES, acts_on_own
from .step import one_verb

FAULT_WORDS = ("id", "say")
LEFT_OUT = (
    "topic.create",
    "topic.delete",
    "topic.alter",
    "topic.elect_leaders",
    "topic.write",
    "reassignment.start",
    "reassignment.cancel",
    "config.set",
    "quota.set",
    "scram.set",
    "acl.create",
    "acl.delete",
    "broker.decommission",
    "broker.unregister",
    "controller.unregister",
    "broker.add",
    "quorum.add",
    "rpc.forge",
    "quorum.remove",
    "features.update",
    "note",
    "proc.move",
)
FAULTS = {word: verb for word, verb in VERBS.items() if word not in LEFT_OUT}
ID = r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}"  # stands in a path of HTTP
RESERVED_ID = "catalog"


@dataclass(frozen=True, slots=True)
class InjectedFault:
    """One verb, with the `id` of the fault (default: empty) and a text for its event."""

    verb: Verb
    word: str
    id: str = ""
    say: str = ""

    @staticmethod
    def from_document(value: object, path: Path) -> "InjectedFault":
        """Reads a fault; raises Problem unless it has exactly one verb."""
        words = mapping(value, path)
        word = one_verb(words, FAULT_WORDS, FAULTS, path)
        fault_id = read(str, words.get("id", ""), (*path, "id"))
        if fault_id and (fault_id == RESERVED_ID or not fullmatch(ID, fault_id)):
            expected = f"expected 1 to 64 letters, digits, '.', '_' and '-', not {RESERVED_ID!r}"
            raise Problem((*path, "id"), f"{expected}, got {fault_id!r}")
        return InjectedFault(
            verb=read(FAULTS[word], words[word] or {}, (*path, word)),
            word=word,
            id=fault_id,
            say=read(str, words.get("say", ""), (*path, "say")),
        )

    def drawn(self, settings: Settings, streams: Streams, fault_id: str) -> Verb:
        """Returns the verb with every time computed from `settings`, or drawn."""
        stream = streams.of(f"times/{fault_id}")
        return changed(Amount, self.verb, lambda amount: amount.fixed(settings, stream))


def aimed(action: str, words: Mapping[str, object]) -> Mapping[str, object]:
    """Returns the document of the short form of a fault of requests.

    `aimed("drop", {"api": "Fetch"})` stands for `rpc.drop`, once. A word that Python reserves has a
    trailing underscore. Raises Problem for an unknown action.
    """
    actions = {word.removeprefix("rpc."): word for word in FAULTS if word.startswith("rpc.")}
    if action not in actions:
        raise Problem(("action",), f"expected {nearest(action, actions)}, got {action!r}")
    named = {key_of(name): value for name, value in words.items()}
    of_fault = {name: named.pop(name) for name in FAULT_WORDS if name in named}
    return {actions[action]: {"count": 1, **named}, **of_fault}


class CatalogEntry(NamedTuple):
    """A verb that a running cluster accepts: its words, its meaning and its cause."""

    verb: str
    words: tuple[str, ...]
    meaning: str
    cause: Cause


def catalog() -> Iterator[CatalogEntry]:
    """Yields each verb that a running cluster accepts."""
    for word, verb in FAULTS.items():
        kind: Any = verb  # mypy finds no __hash__ in the type of a class with slots
        yield CatalogEntry(word, tuple(words_of(kind)), meaning(verb), CAUSES[word])


def meaning(kind: Any) -> str:
    """Returns the docstring of a type in one line, for pages and catalogues."""
    return " ".join((kind.__doc__ or "").split())


def expect_nodes(world: World, word: str, verb: Verb, bound: Container[str] = ()) -> None:
    """Raises Problem for an id that no node has, a name that is not `bound`, and a verb that does
    nothing to a node of a user."""
    known = {*numbers_of(world.nodes), *numbers_of(world.clones)}
    for path, selector in found(Selector, verb, (word,)):
        if selector.word == "let" and selector.value not in bound:
            text = f"expected nodes, got ${selector.value}, which only a scenario binds"
            raise Problem(path, text)
        is_outside = path[-1] == "broker"  # of rpc.*: a broker of another process, too
        if selector.word == "id" and selector.value not in known and not is_outside:
            ids = ", ".join(map(str, sorted(known)))
            raise Problem(path, f"no node {selector.value}: expected one of {ids}")
        if selector.word == "node" and world.own.has(str(selector.value)):
            _expect_own_process(world, word, str(selector.value), path)


def _expect_own_process(world: World, word: str, name: str, path: Path) -> None:
    if not acts_on_own(word):
        text = f"expected a broker or a controller: node {name} takes net.*, "
        raise Problem(path, text + ", ".join(OF_OWN_PROCESSES))
    if not word.startswith("net.") and world.own.named(name) not in world.own.processes:
        raise Problem(
            path, f"expected a node with a process: {name} runs the test, and takes net.*"
        )
