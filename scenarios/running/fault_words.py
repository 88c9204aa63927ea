"""Says what a fault hits, and how: `broker 2 | controllers 3000, 3001 (both ways, for 30s)`.

The words are those of the verb's fields in the scenario file. A selector stands for the nodes that
it selected in this run.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from typing import Any

from kraftsim.controller.core.node_id import Kind, NodeId

from ..language.positions import found
from ..language.reading import document_of, key_of, words_of
from ..language.selectors import Selector
from ..stage.stage import Fault, Selected
from .names import nodes_text

# Words that name what is hit, in this order; all other words follow in parentheses.
SUBJECTS: Mapping[str, str] = {
    "api": "{}",
    "name": "{}",
    "feature": "{}",
    "text": "{}",
    "shape": "{} among",
    "on": "{}",
    "of": "{}",
    "broker": "of {}",
    "controller": "at {}",
}
SPELLED = {"p": "probability"}
SIGNED = ("by", "ppm")  # of clocks, which can be set forward and back
# Verbs that hit something although they have no words, or none that differs from its default.
WITHOUT_WORDS = {
    "net.heal": "every open fault",
    "quorum.forget": "active controller",
    "broker.add": "1 broker",
}
EVERY_NODE = "every node"


def hit_by(fault: Fault) -> str:
    """Returns what the fault hits: nodes, links, requests, or what else its verb names."""
    subject, rest = _parts(fault)
    return subject or ", ".join(rest)


def fault_words(fault: Fault) -> str:
    """Returns what the fault hits, then the other words of its verb in parentheses.

    Says there, too, what the fault left as it was when it began.
    """
    subject, rest = _parts(fault)
    rest += [
        f"no effect on {nodes_text(nodes)}: {why}" if nodes else f"no effect: {why}"
        for why, nodes in fault.spared
    ]
    if not subject or not rest:
        return subject or ", ".join(rest)
    is_only_time = len(rest) == 1 and rest[0].startswith("for ")
    return f"{subject} ({rest[0].removeprefix('for ') if is_only_time else ', '.join(rest)})"


def _parts(fault: Fault) -> tuple[str, list[str]]:
    """Returns what the fault hits, and the other words of its verb."""
    words = dict(_words(fault))
    known = words_of(type(fault.verb))
    ways: tuple[str, ...] = ()
    if "between" in known:
        subject, ways = _links(words)
    elif "api" in known:
        requests = "requests" if words.keys() & {"broker", "controller"} else "every request"
        subject = _subject(words, {"api": requests})
    else:
        subject = _subject(words, {}) or ("" if words else WITHOUT_WORDS.get(fault.kind, ""))
    return subject, [*ways, *_rest(words)]


def _words(fault: Fault) -> Iterator[tuple[str, str]]:
    """Yields the words of the verb with their values as texts, without default values."""
    verb: Any = fault.verb
    selected = list(fault.selected)
    for field in fields(verb):
        key, value = key_of(field.name), getattr(verb, field.name)
        if nodes := _nodes(value, selected):
            yield key, " | ".join(nodes)
        elif not isinstance(value, Selector) and value != _default(field):
            yield key, _text(value, key, fault.kind)


def _nodes(value: object, selected: list[Selected]) -> list[str]:
    """Returns the names of the nodes that each selector in `value` selected.

    Two equal selectors of a verb may select different nodes, so each takes a selection away.
    """
    names = []
    for selector in value if isinstance(value, tuple) else (value,):
        entry = next((entry for entry in selected if entry[0] == selector), None)
        if entry is not None:
            selected.remove(entry)
            names.append(_selected_text(selector, entry[1]))
    return names


def _selected_text(selector: Selector, nodes: Sequence[NodeId]) -> str:
    """Returns the names of the nodes; those of a user's nodes are in the selector."""
    named = [str(of.value) for _, of in found(Selector, selector) if of.word == "node"]
    others = [node for node in nodes if node.kind is not Kind.OWN]
    if len(others) + len(named) != len(nodes):
        return nodes_text(nodes)
    own = [f"node {name}" for name in named]
    return " and ".join([*([nodes_text(others)] if others or not own else []), *own])


def _default(field: "Field[Any]") -> object:
    return field.default_factory() if field.default_factory is not MISSING else field.default


def _text(value: object, key: str, verb: str) -> str:
    text = _flat(document_of(value))
    is_forward = verb.startswith("clock.") and key in SIGNED and not text.startswith("-")
    return f"+{text}" if is_forward else text


def _flat(document: object) -> str:
    match document:
        case None:
            return ""
        case bool():
            return "yes" if document else "no"
        case Mapping():
            return " ".join(f"{key} {_flat(value)}" for key, value in document.items())
        case list() | tuple():
            return ", ".join(map(_flat, document))
        case float():
            return f"{document:g}"
        case _:
            return str(document)


def _links(words: dict[str, str]) -> tuple[str, tuple[str, ...]]:
    """Returns the links that a network fault hits, and whether both ways of each."""
    if "between" in words:
        return words.pop("between"), ("both ways",)
    if "from" in words or "to" in words:
        sender, receiver = words.pop("from", EVERY_NODE), words.pop("to", EVERY_NODE)
        return f"{sender} -> {receiver}", ("one way",)
    if "shape" in words:
        return _subject(words, {}), ()
    return f"every link of {words.pop('on')}" if "on" in words else "every link", ()


def _subject(words: dict[str, str], defaults: Mapping[str, str]) -> str:
    known = {**defaults, **words}
    for key in SUBJECTS:
        words.pop(key, None)
    return " ".join(text.format(known[key]) for key, text in SUBJECTS.items() if key in known)


def _rest(words: dict[str, str]) -> Iterator[str]:
    """Yields the words that are left; the time that the fault lasts is the last one."""
    duration = words.pop("for", "")
    if "low" in words and "high" in words:
        yield f"{words.pop('low')} to {words.pop('high')}"
    for key, text in words.items():
        name = SPELLED.get(key, key).replace("_", " ")
        yield {"yes": name, "no": f"no {name}"}.get(text, f"{name} {text}")
    if duration:
        yield f"for {duration}"
