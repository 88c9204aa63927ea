"""Selects nodes: by id, by name, by role or by place, or a random part of them.

2   3001                     a broker or a controller by its id
active  standbys             controllers by their role when the selector is evaluated
controllers  brokers  all    every controller, every broker, every node
$victim                      the nodes that `let` has bound for this run
{rack: b}                    the nodes of a rack; {rack_of: active}: of the rack of those nodes
{pick: 2, of: brokers}       2 of them, drawn
{nth: 1, of: standbys}       the first (second, ...) of them
{minority: controllers}      fewer than half, drawn; {majority: ...}: the smallest majority
{other_than: active, of: controllers}      `of` (default: all) without the others
{leader_of: orders}          the leader of the topic's first partition
{node: operator}             the process of your own with that name
[1, 2, active]               all of these
"""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from kraftsim.controller.core.node_id import NodeId, broker_node, controller_node
from kraftsim.simulation.world import World

from .reading import Path, Problem, expect_keys, mapping
from .schema import SWEPT, Schema, SchemaOf, any_of, closed
from .suggestions import nearest

EACH = "each"  # the name that stands for each of several nodes in turn
WORDS = ("active", "standbys", "controllers", "brokers", "all")
COUNTED = ("pick", "nth")
NAMED = ("rack", "leader_of", "node")
SHAPES = (*COUNTED, *NAMED, "of", "rack_of", "minority", "majority", "other_than")
Bound = Mapping[str, tuple[NodeId, ...]]


@dataclass(frozen=True, slots=True)
class Selector:
    """Selects nodes of a world.

    `word` is the kind of the selector, `value` its argument, and `of` the selectors whose nodes
    it chooses from.
    """

    word: str
    value: str | int = ""
    of: tuple["Selector", ...] = ()

    @staticmethod
    def from_document(value: object, path: Path) -> "Selector":
        """Reads a selector; raises Problem if it is malformed."""
        if isinstance(value, bool) or value is None:
            raise Problem(path, f"expected a node, got {value!r}")
        if isinstance(value, int):
            return Selector("id", value)
        if isinstance(value, str):
            return _from_word(value, path)
        if isinstance(value, list):
            parts = (Selector.from_document(item, (*path, i)) for i, item in enumerate(value))
            return Selector("every", of=tuple(parts))
        return _shape(mapping(value, path), path)

    @staticmethod
    def to_schema(of: SchemaOf) -> Schema:
        """Returns the schema of all forms of a selector."""
        nodes, count = of(Selector), {"type": "integer", "minimum": 1}
        name: Schema = {"type": "string"}
        drawn = [closed({word: any_of(count, SWEPT), "of": nodes}, [word]) for word in COUNTED]
        parts = ("rack_of", "minority", "majority")
        return any_of(
            {"type": "integer"},
            {"enum": list(WORDS)},
            SWEPT,
            {"type": "array", "items": nodes},
            *drawn,
            *(closed({word: nodes}, [word]) for word in parts),
            *(closed({word: name}, [word]) for word in NAMED),
            closed({"other_than": nodes, "of": nodes}, ["other_than"]),
        )

    def to_document(self) -> object:
        """Returns the document from which `from_document` reads an equal value."""
        match self.word:
            case "id":
                return self.value
            case "let":
                return f"${self.value}"
            case "every":
                return [selector.to_document() for selector in self.of]
            case "rack" | "leader_of" | "node":
                return {self.word: self.value}
            case "pick" | "nth":
                return {self.word: self.value, "of": self.of[0].to_document()}
            case "other_than":
                excluded, whole = (selector.to_document() for selector in self.of)
                return {"other_than": excluded, "of": whole}
            case "minority" | "majority" | "rack_of":
                return {self.word: self.of[0].to_document()}
            case word:
                return word

    @property
    def number(self) -> int | None:
        """The id that the selector names, or None if it selects nodes in another way."""
        return int(self.value) if self.word == "id" else None

    def is_let(self, name: str) -> bool:
        """Returns True if the selector is `$name`."""
        return self.word == "let" and self.value == name

    def with_bound(self, name: str, number: int) -> "Selector":
        """Returns the selector with `$name` replaced by the node `number`."""
        if self.is_let(name):
            return Selector("id", number)
        return Selector(
            self.word, self.value, tuple(selector.with_bound(name, number) for selector in self.of)
        )

    def nodes(self, world: World, bound: Bound, stream: Random) -> tuple[NodeId, ...]:
        """Returns the nodes that the selector selects in the present state of the world.

        `bound` are the nodes of each `$name`, and random nodes are drawn from `stream`. Raises
        ValueError for a name that is not bound, or for a count that exceeds the nodes.
        """
        if self.word in WORDS:
            return _nodes_of_word(world, self.word)
        match self.word:
            case "id":
                return world.nodes_numbered(int(self.value))
            case "let":
                if self.value not in bound:
                    known = ", ".join(f"${name}" for name in bound) or "nothing"
                    raise ValueError(f"${self.value} is not bound: `let` binds {known}")
                return bound[str(self.value)]
            case "rack":
                return _nodes_in(world, str(self.value))
            case "leader_of":
                return _leader_of(world, str(self.value))
            case "node":
                return (world.own.named(str(self.value)),)
            case "every":
                parts = (selector.nodes(world, bound, stream) for selector in self.of)
                return tuple(dict.fromkeys(node for part in parts for node in part))
            case "pick" | "minority" | "majority":
                return self._drawn(self.of[0].nodes(world, bound, stream), stream)
            case "nth":
                position = int(self.value)
                return self.of[0].nodes(world, bound, stream)[position - 1 : position]
            case "rack_of":
                nodes = self.of[0].nodes(world, bound, stream)
                own = (world.own.racks[node] for node in nodes if node in world.own.racks)
                racks = dict.fromkeys((*world.topology.racks_of(nodes), *own))
                return tuple(node for rack in racks for node in _nodes_in(world, rack))
            case _:  # other_than
                excluded, whole = (selector.nodes(world, bound, stream) for selector in self.of)
                return tuple(node_id for node_id in whole if node_id not in excluded)

    def _drawn(self, nodes: tuple[NodeId, ...], stream: Random) -> tuple[NodeId, ...]:
        half = (len(nodes) - 1) // 2 if self.word == "minority" else len(nodes) // 2 + 1
        count = int(self.value) if self.word == "pick" else half
        if nodes and count > len(nodes):
            raise ValueError(f"{self.word}: expected at most {len(nodes)}, got {count}")
        return tuple(sorted(stream.sample(nodes, min(count, len(nodes)))))


def _from_word(value: str, path: Path) -> Selector:
    if value.startswith("$"):
        return Selector("let", value[1:])
    if value not in WORDS:
        raise Problem(path, f"expected an id, $name or {nearest(value, WORDS)}, got {value!r}")
    return Selector(value)


def _shape(value: Mapping[str, object], path: Path) -> Selector:
    expect_keys(value, SHAPES, path)
    for word in COUNTED:
        if word in value:
            return _counted(word, value, path)
    if "other_than" in value:
        excluded = Selector.from_document(value["other_than"], (*path, "other_than"))
        whole = Selector.from_document(value.get("of", "all"), (*path, "of"))
        return Selector("other_than", of=(excluded, whole))
    if len(value) != 1:
        raise Problem(path, f"expected one of {', '.join(SHAPES)}, got {dict(value)}")
    ((word, argument),) = value.items()
    if word in NAMED:
        return Selector(word, str(argument))
    return Selector(word, of=(Selector.from_document(argument, (*path, word)),))


def _counted(word: str, value: Mapping[str, object], path: Path) -> Selector:
    count = value[word]
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise Problem((*path, word), f"expected a number, 1 or more, got {count!r}")
    of = Selector.from_document(value.get("of", "brokers"), (*path, "of"))
    return Selector(word, count, (of,))


def _nodes_of_word(world: World, word: str) -> tuple[NodeId, ...]:
    match word:
        case "active":
            return _active_nodes(world)
        case "standbys":
            active_nodes = _active_nodes(world)
            controllers = map(controller_node, world.controllers)
            return tuple(controller for controller in controllers if controller not in active_nodes)
        case "controllers":
            return tuple(map(controller_node, world.controllers))
        case "brokers":
            return tuple(map(broker_node, world.agents))
        case _:
            return world.nodes


def _nodes_in(world: World, rack: str) -> tuple[NodeId, ...]:
    return (*world.topology.nodes_in(rack), *world.own.nodes_in(rack))


def _active_nodes(world: World) -> tuple[NodeId, ...]:
    active = world.active
    return () if active is None else (controller_node(active.node.config.node_id),)


def _leader_of(world: World, topic: str) -> tuple[NodeId, ...]:
    """Returns the leader of the topic's first partition; empty without one."""
    topic_id = world.committed.topic_ids.get(topic)
    found = None if topic_id is None else world.committed.topics[topic_id].partitions[0]
    return () if found is None or found.leader < 0 else (broker_node(found.leader),)
