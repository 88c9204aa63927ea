"""Each option of a verb that needs no running cluster acts, or has a test of its own."""

import argparse
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from kraftsim.cli.campaign.engine_options import engine_of
from kraftsim.cli.campaign.plan import plan_of
from kraftsim.cli.cluster_verbs import COMMANDS
from kraftsim.cli.main import build_parser
from kraftsim.commands.agent import agents_of
from kraftsim.commands.controller import chosen_controller
from kraftsim.errors import CommandError
from kraftsim.pytest_plugin import pytest_addoption
from kraftsim.testing.requested import OF_THE_PLUGIN
from tests.walk.options import Shell, options_of, parsers
from tests.walk.own_options import (
    AGENTS,
    CONTROLLER,
    ENGINES,
    FILES,
    LINES,
    PLANS,
    Line,
)
from tests.walk.prepared import Prepared
from tests.walk.tested_options import PLUGIN, TESTED

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent.parent
OF_CLUSTERS = {" ".join(command.words) for command in COMMANDS}
SERVICES = {"up", "agent", "controller run"}  # tests/kraftsim/test_every_option_acts.py walks up
WORDS = sorted(parsers().keys() - OF_CLUSTERS - SERVICES)
RANDOM = re.compile(r"[\w-]{22}")
MEASURED = re.compile(r" *\d+\.\d+ s\b|^ *slowest .*\n", re.MULTILINE)
OF_A_RUN = re.compile(r"_shards/|\.parquet$")  # files with the time that a run took


def outcome(shell: Shell, prepared: Prepared, case: Line, line: str) -> object:
    """Returns what a line prints, and names and sizes of the files that are there then.

    Random ids and measured times are left out, and which of several runs was the slowest.
    """
    shell.in_new_folder()
    write_files(shell)
    prepared.copy_for(line, shell.folder)
    for earlier in case.before:
        shell.run(earlier)
    code, out, err = shell.run(line)
    files = [
        (name, None if OF_A_RUN.search(name) else len(content)) for name, content in shell.files()
    ]
    return code, *(MEASURED.sub("", RANDOM.sub("ID", text)) for text in (out, err)), files


def verb_of(line: str) -> str:
    return max((words for words in WORDS if f"{line} ".startswith(f"{words} ")), key=len)


def listed(words: str) -> list[str]:
    """Returns the options of a verb that need no line."""
    tested = [name.rpartition(" ")[2] for name in TESTED if name.rpartition(" ")[0] == words]
    of_objects = {"campaign run": [*PLANS.changes]}.get(words, [])
    return [*tested, *of_objects]


@pytest.mark.parametrize("words", WORDS)
def test_an_option_makes_a_difference_or_is_listed(
    words: str, shell: Shell, prepared: Prepared
) -> None:
    acting: set[str] = set()
    for case in LINES:
        if verb_of(case.line) == words:
            usual = outcome(shell, prepared, case, case.line)
            assert outcome(shell, prepared, case, case.line) == usual
            for option, line in case.changes.items():
                if option not in acting and outcome(shell, prepared, case, line) != usual:
                    acting.add(option)

    assert sorted(options_of(parsers()[words]) - acting) == sorted(listed(words))


def test_a_listed_option_exists_and_so_does_its_test() -> None:
    for name, where in TESTED.items():
        words, _, option = name.rpartition(" ")
        file, _, test = where.partition("::")
        assert option in options_of(parsers()[words]), name
        assert f"def {test}(" in (ROOT / file).read_text("utf-8"), name


class Options:
    """Stands for pytest's parser, and notes the names of the options."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def getgroup(self, *_: str) -> "Options":
        return self

    def addoption(self, name: str, **_: object) -> None:
        self.names.add(name)


def test_each_option_of_the_plugin_and_each_argument_of_its_marker_has_a_test() -> None:
    options = Options()
    pytest_addoption(options)  # type: ignore[arg-type]  # all that the plugin calls

    assert options.names | OF_THE_PLUGIN.keys() == PLUGIN.keys()
    for where in PLUGIN.values():
        file, _, test = where.partition("::")
        assert f"def {test}(" in (ROOT / file).read_text("utf-8")


DESCRIBE: Mapping[str, Callable[[argparse.Namespace], object]] = {
    "agent": agents_of,
    "controller run": chosen_controller,
    "campaign run": plan_of,
    "campaign resume": engine_of,
}


def described(line: str) -> str:
    """Returns what a process is started with, or the plan or the engine of a campaign."""
    arguments = build_parser().parse_args(line.split())
    try:
        return repr(DESCRIBE[max(words for words in DESCRIBE if line.startswith(words))](arguments))
    except (ValueError, CommandError) as error:
        return str(error)


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ("agent", AGENTS),
        ("controller run", CONTROLLER),
        ("campaign run", PLANS),
        ("campaign resume", ENGINES),
    ],
)
def test_an_option_changes_what_a_process_is_started_with(
    words: str, lines: Line, shell: Shell
) -> None:
    write_files(shell)
    usual = described(lines.line)
    assert described(lines.line) == usual
    acting = {
        option
        for option, line in lines.changes.items()
        if described(line.replace("TMP", str(shell.folder))) != usual
    }

    assert acting == lines.changes.keys()
    if words in SERVICES:
        assert options_of(parsers()[words]) == acting | {*listed(words)}


def write_files(shell: Shell) -> None:
    for name, text in FILES.items():
        (shell.folder / name).write_text(text.replace("TMP", str(shell.folder)), "utf-8")
