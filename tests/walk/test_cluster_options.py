"""Each option of a verb for a running cluster acts, or has a test of its own."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from kraftsim.cli.cluster_verbs import COMMANDS
from kraftsim.own_nodes.beside import beside
from tests.kraftsim.conftest import Service
from tests.walk.cluster_options import CASES, TESTED
from tests.walk.option_case import NODES, Case
from tests.walk.options import SHARED, Shell, options_of, parsers

pytestmark = [pytest.mark.realtime, pytest.mark.slow]

ROOT = Path(__file__).resolve().parent.parent.parent
WORDS = sorted(" ".join(command.words) for command in COMMANDS)
LINES = b"a:1\nb:2\n"
PASSING = re.compile(
    r"\b1\d{12}\b|generation\W+\d+|number\W+\d+|\d+\.\d+( s)? left|[12]\d\.\d{3} s"
    r"|stoodStill\w*\W+\d+"
)


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    service = Service(brokers=3, controllers=3)
    yield service
    service.close()


class Stage:
    """The same new cluster for each line.

    Left out is what differs from run to run: times of this machine, and what counts on.
    """

    def __init__(self, service: Service, shell: Shell) -> None:
        self._service, self._shell = service, shell

    def outcome(self, case: Case, line: str) -> str:
        """Returns what a line prints, what the cluster shows then, and the files it writes."""
        with beside(self._service.kraft, NODES if case.line.startswith("node ") else {}):
            self._service.do(self._service.kraft.reset(seed=1))
            return self._outcome(case, line)

    def _outcome(self, case: Case, line: str) -> str:
        self._shell.in_new_folder()
        run = self._shell.run
        for name in ("a", "b"):
            run(f"snapshot remove {name}")  # a reset keeps snapshots
        for earlier in case.before:
            code, out, err = run(earlier, LINES)
            assert code == 0, (earlier, out, err)
        said = [run(line, LINES), *(run(later) for later in case.after)]
        files = [(name, len(content)) for name, content in self._shell.files()]
        return PASSING.sub("", repr((said, files)))


@pytest.fixture
def stage(service: Service, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Stage:
    monkeypatch.setenv("KRAFTSIM_HTTP", service.kraft.http_url)
    return Stage(service, shell)


def verb_of(case: Case) -> str:
    return max((words for words in WORDS if f"{case.line} ".startswith(f"{words} ")), key=len)


def shared(line: str) -> dict[str, str]:
    """Returns the lines with an option that all verbs have."""
    return {
        "--url": f"{line} --url http://127.0.0.1:9",
        "--output": f"{line} --output json",
        "--json": f"{line} --json",
        "--utc": f"{line} --utc",
    }


@pytest.mark.parametrize("words", [words for words in WORDS if f"{words} --url" not in TESTED])
def test_an_option_makes_a_difference_or_is_listed(words: str, stage: Stage) -> None:
    parser = parsers()[words]
    acting: set[str] = set()
    for case in CASES:
        if verb_of(case) == words:
            usual = stage.outcome(case, case.line)
            assert stage.outcome(case, case.line) == usual
            left = options_of(parser) - acting
            changes = {name: line for name, line in shared(case.line).items() if name in left}
            for option, line in (changes | case.changes).items():
                if stage.outcome(case, line) != usual:
                    acting.add(option)

    listed = {name.rpartition(" ")[2] for name in TESTED if name.rpartition(" ")[0] == words}
    assert sorted(options_of(parser) - acting) == sorted(listed)


def test_a_listed_option_exists_and_so_does_its_test() -> None:
    for name, where in TESTED.items():
        words, _, option = name.rpartition(" ")
        file, _, test = where.partition("::")
        assert option in options_of(parsers()[words]), name
        assert f"def {test}(" in (ROOT / file).read_text("utf-8"), name


def test_the_lines_of_a_verb_change_its_own_options() -> None:
    for case in CASES:
        known = options_of(parsers()[verb_of(case)])
        assert {*case.changes} <= known - {*SHARED}, case.line
