"""Lists which classes of Kafka read each configuration of a node, and which a controller runs.

`python -m tests.released.key_readers` writes tests/walk/key_readers.txt. A class *runs* in a
controller if its process initializes the class while random sequences of `tests.differential` are
asked; a class that was never initialized has executed no method. Classes of
`org.apache.kafka.common` count as running, because the listeners and clients of a process choose
them. It needs Java with javap, and Maven unless the jars are in the cache.
"""

import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

from kraftsim.controller.core.configs.node_definitions import definitions_of
from kraftsim.controller.core.profile import DEFAULT_PROFILE
from kraftsim.pipeline.engines.java import require_java
from tests.released.jars import class_path
from tests.released.releases import RELEASES
from tests.walk.key_readers import TABLE, KeyReaders, text_of

RELEASE = RELEASES["4.4.0"]
ROOT = Path(__file__).resolve().parents[2]
SEQUENCES = 40
CLASSES_OF_ONE_JAVAP = 500
# An accessor of more keys than these checks all configurations, and reads none for a purpose.
KEYS_OF_AN_ACCESSOR_MAX = 25
# It checks the configurations of groups in a controller, against those of the node.
_GROUP_CONFIG = "org.apache.kafka.coordinator.group.GroupConfig"
_GENERATED = re.compile(r"org/apache/kafka/(common/(message|metadata|protocol)|tools)/|.*generated")
_CONFIGURATIONS = re.compile(r"(?!org\.apache\.kafka\.(clients|common)\.).*Configs?(\$.*)?")
_INITIALIZED = re.compile(r"Initializing '((?:org/apache/)?kafka/[^']*)'")
_CLASS = re.compile(r"[\w\s]*?(?:class|interface|enum)\s+([\w.$]+)(.*)\{")
_METHOD = re.compile(r"  (?! )[^(]*?([\w$.]+)\(")
_TEXT = re.compile(r"ldc(?:_w)?\s+#\d+\s+// String (.*)")
_FIELD = re.compile(r"(get|put)field\s+#\d+\s+// Field (?:([\w./$]+)\.)?([\w$]+):")
_CALL = re.compile(r"(?:Interface)?Method (?:([\w./$]+)\.)?([\w$]+):")

Member = tuple[str, str]
Code = Mapping[str, str]


def initialized_classes() -> set[str]:
    """Returns Kafka's classes that controllers initialize while random sequences are asked."""
    with TemporaryDirectory() as folder:
        logging = f"-Xlog:class+init=info:file={folder}/%p.txt"
        command = [sys.executable, "-m", "tests.differential", "--release", RELEASE.version]
        subprocess.run(
            [*command, "--sequences", str(SEQUENCES)],
            env={**os.environ, "JAVA_TOOL_OPTIONS": logging},
            cwd=ROOT,
            check=True,
        )
        logs = [path.read_text("utf-8", "replace") for path in Path(folder).iterdir()]
    of_controllers = (text for text in logs if "'kafka/server/ControllerServer'" in text)
    return {
        name.replace("/", ".") for text in of_controllers for name in _INITIALIZED.findall(text)
    }


def code_of_classes() -> Code:
    """Returns what javap prints of Kafka's own classes, by name."""
    jars = sorted(Path(class_path(RELEASE).rstrip("*")).glob("kafka*.jar"))
    names = []
    for jar in jars:
        with ZipFile(jar) as opened:
            names += [
                name.removesuffix(".class").replace("/", ".")
                for name in opened.namelist()
                if name.endswith(".class") and not _GENERATED.match(name)
            ]
    program = require_java("javap").program.with_name("javap")
    found = {}
    for first in range(0, len(names), CLASSES_OF_ONE_JAVAP):
        some = names[first : first + CLASSES_OF_ONE_JAVAP]
        path = ":".join(map(str, jars))
        printed = subprocess.run(
            [program, "-c", "-p", "-cp", path, *some], check=True, capture_output=True, text=True
        ).stdout
        for block in re.split(r"^Compiled from .*\n", printed, flags=re.MULTILINE)[1:]:
            if (match := _CLASS.match(block)) is not None:
                found[match[1]] = block
    return found


class Accessors:
    """The methods of configuration classes that return the value of a key."""

    def __init__(self, code: Code, keys: set[str]) -> None:
        self._keys = keys
        self._parents = {name: _parent(name, text) for name, text in code.items()}
        self._own = {name: text for name, text in code.items() if _CONFIGURATIONS.fullmatch(name)}
        self._fields: defaultdict[Member, set[str]] = defaultdict(set)
        self._methods: defaultdict[Member, set[str]] = defaultdict(set)
        for _ in range(3):  # an accessor may call another, of another class
            for name, text in self._own.items():
                self._read(name, text)
        self._methods = defaultdict(
            set,
            {
                member: keys
                for member, keys in self._methods.items()
                if len(keys) <= KEYS_OF_AN_ACCESSOR_MAX
            },
        )

    def keys_of(self, owner: str, method: str) -> set[str]:
        """Returns the keys that a call of a method reads."""
        at: str | None = owner
        while at is not None:
            if (at, method) in self._methods:
                return self._methods[at, method]
            at = self._parents.get(at)
        return set()

    def readers(self, code: Code) -> dict[str, set[str]]:
        """Returns the classes, other than configurations, that read each key."""
        found: dict[str, set[str]] = {key: set() for key in self._keys}
        for line in dict(_methods(code[_GROUP_CONFIG]))["validateValues"]:
            for key in self._keys_in(_GROUP_CONFIG, line):
                found[key].add(_GROUP_CONFIG)
        for name, text in code.items():
            if name in self._own:
                continue
            for line in text.splitlines():
                for key in self._keys_in(name, line):
                    found[key].add(name)
        return found

    def _read(self, name: str, text: str) -> None:
        for method, lines in _methods(text):
            is_constructor, pending = method in (name, name.rpartition(".")[2]), set[str]()
            for line in lines:
                match = _FIELD.search(line)
                field = None if match is None else ((match[2] or name).replace("/", "."), match[3])
                if match is not None and match[1] == "put" and field is not None:
                    self._fields[field] |= pending
                    pending = set()
                    continue
                keys = self._keys_in(name, line)
                keys |= self._fields[field] if field is not None else set()
                pending |= keys
                if keys and not is_constructor:
                    self._methods[name, method] |= keys

    def _keys_in(self, name: str, line: str) -> set[str]:
        text = _TEXT.search(line)
        if text is not None:
            return {text[1]} & self._keys
        call = _CALL.search(line) if "Method" in line else None
        return set() if call is None else self.keys_of((call[1] or name).replace("/", "."), call[2])


def _parent(name: str, text: str) -> str | None:
    match = re.search(r"extends ([\w.$]+)", re.sub(r"<.*>", "", text.partition("\n")[0]))
    return None if match is None or match[1] == name else match[1]


def _methods(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yields each method with the lines of its code."""
    name, lines = "", list[str]()
    for line in text.splitlines():
        match = _METHOD.match(line)
        if match is None:
            lines.append(line)
            continue
        yield name, lines
        name, lines = match[1], []
    yield name, lines


def key_readers() -> list[KeyReaders]:
    """Returns the readers of every key of the release, from its jars and a running controller."""
    keys = set(definitions_of(DEFAULT_PROFILE.topic_configs))
    code = code_of_classes()
    readers = Accessors(code, keys).readers(code)
    runs = initialized_classes()
    return [
        KeyReaders(
            key,
            *(
                tuple(
                    sorted(
                        {
                            _short(name)
                            for name in readers[key]
                            if _runs(name, runs) == in_controller
                        }
                    )
                )
                for in_controller in (True, False)
            ),
        )
        for key in sorted(keys)
    ]


def _runs(name: str, initialized: set[str]) -> bool:
    return name in initialized or name.startswith("org.apache.kafka.common.")


def _short(name: str) -> str:
    return name.partition("$")[0].rpartition(".")[2]


if __name__ == "__main__":
    TABLE.write_text(text_of(key_readers()), "utf-8")
