"""Lists what each release of Kafka brought: texts, configuration keys, fields and API versions.

`python -m tests.released.novelties` compares the jars of each release with those of the release
before. It writes tests/released/novelties.txt and, with the verdicts of docs/novelties.toml, the
page docs/novelties.md; it needs Maven unless the jars are in the cache, and no Java.
`python -m tests.released.novelties --page` writes the page only, from the table.
"""

import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from tests.released.class_files import string_constants
from tests.released.jars import class_path
from tests.released.novelty_page import PAGE, render
from tests.released.novelty_table import TABLE, Kind, Novelty, text_of
from tests.released.releases import RELEASES

LONGEST_TEXT = 300

# The control plane, and the classes beside it that check requests and configurations.
_SEARCHED = re.compile(
    r"kafka\.(server|raft)\.(\w+|(metadata|handlers|builders)\.\w+)"
    r"|(controller|image|metadata|raft|snapshot|server\.common)\.(?!generated\.)[\w.]+"
    r"|server\.((config|controller|quota)\.)?\w+|server\.metrics\.ClientMetricsConfigs"
    r"|coordinator\.group\.GroupConfig(Manager)?|storage\.internals\.log\.LogConfig"
    r"|common\.(protocol\.Errors|config\.ConfigResource)"
)
_CONFIGURATIONS = re.compile(r"(?!common\.(security|metadata)|clients|streams).*Configs?")
_KEY = re.compile(r"[a-z][a-z0-9]*([.][a-z0-9-]+)+")
_VALUE = re.compile(r"[\x01\x02]|\{\}|%(?:\.\d+)?[sdf]")
# What Java keeps for the toString of a record class.
_FIELD_NAMES = re.compile(r"\w+(;\w+)+")
_EDGE = re.compile(r"^[\W_]+|[\W_]+$")
_OWN = ("kafka/", "org/apache/kafka/")
_MESSAGES = re.compile(r"common/(message|metadata)/(\w+)\.json")


@dataclass(frozen=True)
class Contents:
    """What is in the jars of a release: string constants by class, messages by name."""

    strings: Mapping[str, frozenset[str]]
    messages: Mapping[str, Mapping[str, Any]]

    @property
    def keys(self) -> dict[str, set[str]]:
        """The classes that hold each configuration key."""
        found = defaultdict(set)
        for name, texts in self.strings.items():
            if _CONFIGURATIONS.fullmatch(name):
                for text in filter(_KEY.fullmatch, texts):
                    found[text].add(name)
        return found

    @property
    def words(self) -> set[str]:
        """What the strings of all classes say between the values that they are joined with."""
        return {part for texts in self.strings.values() for text in texts for part in words(text)}


def words(text: str) -> set[str]:
    """Returns the parts of a text between its values, without punctuation at their edges.

    A text that Kafka moved from Scala to Java, or joins otherwise, has the same parts as before.
    """
    parts = (_EDGE.sub("", _EDGE.sub("", part)).lower() for part in _VALUE.split(text))
    return {part for part in parts if part}


def contents(jars: Path) -> Contents:
    """Reads the jars of Kafka in a folder."""
    strings: defaultdict[str, set[str]] = defaultdict(set)
    messages = {}
    for path in sorted(jars.glob("kafka*.jar")):
        with ZipFile(path) as jar:
            for name in jar.namelist():
                if name.startswith(_OWN) and name.endswith(".class"):
                    strings[_class_name(name)].update(string_constants(jar.read(name)))
                elif _MESSAGES.fullmatch(name):
                    message = _uncommented(jar.read(name).decode("utf-8"))
                    messages[message["name"]] = message
    return Contents({name: frozenset(texts) for name, texts in strings.items()}, messages)


def _class_name(path: str) -> str:
    """Returns the name of the outermost class, without `org.apache.kafka`."""
    name = path.removesuffix(".class").partition("$")[0].replace("/", ".")
    return name.removeprefix("org.apache.kafka.")


def _uncommented(text: str) -> dict[str, Any]:
    lines = (line for line in text.splitlines() if not line.lstrip().startswith("//"))
    message: dict[str, Any] = json.loads(re.sub(r'(?<=[,{}\[\]"])\s*//.*', "", "\n".join(lines)))
    return message


def novelties_of(release: str, old: Contents, new: Contents) -> Iterator[Novelty]:
    """Yields what `new` has and `old` has not, in the order of the page."""
    yield from _texts(release, old, new)
    for key, classes in sorted(new.keys.items()):
        if key not in old.keys:
            yield Novelty(release, Kind.KEY, tuple(sorted(classes)), key)
    yield from _messages(release, old.messages, new.messages)


def _texts(release: str, old: Contents, new: Contents) -> Iterator[Novelty]:
    known, keys = old.words, new.keys
    classes_of = defaultdict(set)
    for name, texts in new.strings.items():
        if _SEARCHED.fullmatch(name):
            for text in texts:
                if _FIELD_NAMES.fullmatch(text) or text in keys:
                    continue
                if words(text) - known:
                    classes_of[text].add(name)
    rows = ((tuple(sorted(classes)), text) for text, classes in classes_of.items())
    for classes, text in sorted(rows):
        yield Novelty(release, Kind.TEXT, classes, shown(text))


def shown(text: str) -> str:
    """Returns a text in one line, with `{}` for each value."""
    line = " ".join(re.sub(r"[\x01\x02]|%(?:\.\d+)?[sdf]", "{}", text).split())
    return line if len(line) <= LONGEST_TEXT else f"{line[:LONGEST_TEXT]}…"


def _messages(release: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Novelty]:
    for name, message in sorted(new.items()):
        before = old.get(name)
        fields = dict(_fields_of(message))
        if before is None:
            text = f"{_versions(message)}: {', '.join(fields) or 'no field'}"
            yield Novelty(release, Kind.MESSAGE, (name,), text)
            continue
        if _versions(before) != _versions(message):
            text = f"{_versions(before)}, now {_versions(message)}"
            yield Novelty(release, Kind.VERSIONS, (name,), text)
        known = dict(_fields_of(before))
        for field, versions in fields.items():
            if field not in known:
                yield Novelty(release, Kind.FIELD, (name,), f"{field} ({versions})")
    for name in sorted(old.keys() - new.keys()):
        yield Novelty(release, Kind.VERSIONS, (name,), f"{_versions(old[name])}, now none")


def _versions(message: Mapping[str, Any]) -> str:
    text = f"versions {message['validVersions']}"
    if message.get("latestVersionUnstable"):
        text += " (the last is unstable)"
    if message.get("listeners"):
        text += f" of {' and '.join(message['listeners'])}"
    return text


def _fields_of(message: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yields path and versions of each field; a removed message has none."""
    yield from _fields(message.get("fields", ()))
    yield from _fields(message.get("commonStructs", ()))


def _fields(fields: Iterable[Mapping[str, Any]], path: str = "") -> Iterator[tuple[str, str]]:
    for field in fields:
        name = f"{path}{field['name']}"
        yield name, field.get("versions", "0+")
        yield from _fields(field.get("fields", ()), f"{name}.")


def released_novelties() -> list[Novelty]:
    """Returns the novelties of every release but the oldest, newest release first."""
    order = sorted(RELEASES)
    held = {name: contents(Path(class_path(RELEASES[name])).parent) for name in order}
    found = [list(novelties_of(name, held[before], held[name])) for before, name in pairwise(order)]
    return [novelty for novelties in reversed(found) for novelty in novelties]


def main(arguments: list[str]) -> None:
    if arguments not in ([], ["--page"]):
        sys.exit(f"expected no argument or --page, got {' '.join(arguments)}")
    if not arguments:
        TABLE.write_text(text_of(released_novelties()), "utf-8")
    PAGE.write_text(render(), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
