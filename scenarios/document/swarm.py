"""Expands a `chaos:` block into plain steps: random faults of many kinds, within a budget.

Each run uses a random subset of the kinds, because a bug may need one kind without another. All
faults are drawn here, so that a plan shows them as steps and can be shrunk step by step.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Annotated, Any

from kraftsim.controller.core.settings import Settings
from kraftsim.simulation.topology import BROKERS_MAX, broker_ids, controller_ids

from ..language.amounts import Amount, Period
from ..language.constraints import Between
from ..language.reading import Path, Problem, document_of, mapping, read, words_of
from ..language.schema import SWEPT, Schema, SchemaOf, any_of, closed
from ..language.selectors import Selector
from ..language.suggestions import nearest
from ..verbs import VERBS, Verb
from .cluster_shape import ClusterShape
from .own_node import acts_on_own

Node = int | str  # the id of a broker or a controller, or the name of an own node
Weight = Annotated[int, Between(0, 1_000_000)]
FAULTS_MAX = 1_000  # faults that are open at a time
POOLS = ("brokers", "controllers", "nodes", "own")
PART_OF_KINDS = 0.5
SHORTEST_US, LONGEST_US = 2_000_000, 60_000_000  # a shorter fault may end before it has an effect


@dataclass(frozen=True, slots=True)
class Kind:
    """A verb that strikes one random node of the pool `of`.

    That is brokers, controllers, `own` nodes, or `nodes`: all of these that the verb can strike.
    """

    word: str
    verb: Verb
    weight: Weight
    of: str

    @staticmethod
    def from_words(word: str, value: object, path: Path) -> "Kind":
        """Reads a kind; raises Problem for an unknown verb or pool."""
        words = dict(mapping(value, path))
        if word not in VERBS:
            raise Problem(path, f"unknown verb {word!r}: expected {nearest(word, VERBS)}")
        weight, of = words.pop("weight", 1), words.pop("of", "nodes")
        if of not in POOLS:
            raise Problem((*path, "of"), f"expected {nearest(str(of), POOLS)}, got {of!r}")
        verb = read(VERBS[word], words | {"on": 0}, path)
        return Kind(word, verb, read(Weight, weight, (*path, "weight")), str(of))

    def to_document(self) -> object:
        """Returns the words from which `from_words` reads an equal kind."""
        words = {k: v for k, v in document_of(self.verb).items() if k != "on"}
        return {"weight": self.weight, "of": self.of} | words


@dataclass(frozen=True, slots=True)
class Kinds:
    """The verbs that chaos draws from, with probabilities by `weight`."""

    members: tuple[Kind, ...]

    @staticmethod
    def from_document(value: object, path: Path) -> "Kinds":
        """Reads the kinds; raises Problem if there are none."""
        words = mapping(value, path)
        if not words:
            raise Problem(path, "expected at least one verb to choose from, got none")
        return Kinds(tuple(Kind.from_words(word, words[word], (*path, word)) for word in words))

    @staticmethod
    def to_schema(of: SchemaOf) -> Schema:
        """Returns the schema of the verbs that chaos can draw."""
        on_nodes = {word: verb for word, verb in VERBS.items() if "on" in _words(verb)}
        return closed({word: _kind_schema(verb, of) for word, verb in on_nodes.items()})

    def to_document(self) -> object:
        """Returns the document from which `from_document` reads an equal value."""
        return {member.word: member.to_document() for member in self.members}


def _words(verb: Any) -> Mapping[str, object]:
    return words_of(verb)


def _kind_schema(verb: Any, of: SchemaOf) -> Schema:
    """Returns the schema of a verb in chaos: with `weight` and `of`, and without the drawn `on`."""
    words = {key: of(word.kind) for key, word in words_of(verb).items() if key != "on"}
    required = [key for key, word in words_of(verb).items() if word.is_required and key != "on"]
    own = {"weight": of(Weight), "of": any_of({"enum": list(POOLS)}, SWEPT)}
    return closed(words | own, required)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chaos:
    """Random faults.

    The mean time between the begins of faults is `every`. A fault lasts about `lasting`, mostly
    less. At any time a majority of the controllers is without a fault, and at most
    `max_brokers` brokers and `max_open_faults` nodes have one.
    """

    kinds: Kinds
    every: Period
    lasting: Period
    max_brokers: Annotated[int, Between(0, BROKERS_MAX)] = 1
    max_open_faults: Annotated[int, Between(1, FAULTS_MAX)] = 4


@dataclass(frozen=True, slots=True)
class Fault:
    """A drawn fault: `verb` on one node, `at_us` microseconds after the begin of the run.

    `is_of_own`: the node runs a user's code.
    """

    at_us: int
    word: str
    verb: Verb
    is_of_own: bool


def faults(
    chaos: Chaos,
    shape: ClusterShape,
    own: Sequence[str],
    run_us: int,
    settings: Settings,
    stream: Random,
) -> Iterator[Fault]:
    """Yields the faults in the order in which they begin; no node has two faults at a time.

    `own` are the names of the nodes that run a user's code. Raises Problem if the interval between
    faults is 0.
    """
    kinds = [member for member in chaos.kinds.members if stream.random() < PART_OF_KINDS]
    kinds = kinds or list(chaos.kinds.members)
    every_us = chaos.every.fixed(settings, stream).us
    if not every_us:
        raise Problem(
            ("chaos", "every"),
            "expected a time above 0s, because the step would repeat without end",
        )
    mean = Amount(heavy=chaos.lasting)
    until_us: dict[Node, int] = {}
    at_us = 0
    while (at_us := at_us + int(stream.expovariate(1 / every_us))) < run_us:
        (kind,) = stream.choices(kinds, [kind.weight for kind in kinds])
        lasting_us = min(max(mean.fixed(settings, stream).us, SHORTEST_US), LONGEST_US)
        struck = {node for node, end_us in until_us.items() if end_us > at_us}
        free = _free(chaos, kind, shape, own, struck)
        if not free:
            continue
        node = stream.choice(free)
        until_us[node] = at_us + lasting_us + SHORTEST_US
        verb: Any = kind.verb
        lasting = Amount(fixed_us=lasting_us)
        is_of_own = isinstance(node, str)
        on = Selector("node" if is_of_own else "id", node)
        yield Fault(at_us, kind.word, replace(verb, on=on, for_=lasting), is_of_own)


def _free(
    chaos: Chaos, kind: Kind, shape: ClusterShape, own: Sequence[str], struck: set[Node]
) -> list[Node]:
    """Returns the nodes that the kind may strike while the nodes `struck` have a fault."""
    if len(struck) >= chaos.max_open_faults:
        return []
    voters, fleet = controller_ids(shape.controllers), broker_ids(shape.brokers)
    free: list[Node] = []
    if kind.of in ("controllers", "nodes") and len(struck & {*voters}) < (len(voters) - 1) // 2:
        free += [voter for voter in voters if voter not in struck]
    if kind.of in ("brokers", "nodes") and len(struck & {*fleet}) < chaos.max_brokers:
        free += [number for number in fleet if number not in struck]
    if kind.of in ("own", "nodes") and acts_on_own(kind.word):
        free += [name for name in own if name not in struck]
    return free
