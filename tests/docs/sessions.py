"""Documented commands as sessions: what one shell runs, from its first line to its last.

A tutorial is one session. On most other pages each heading is one: a reader starts there.
"""

import re
from dataclasses import dataclass
from itertools import groupby

from tests.docs.blocks import PAGES, Block, blocks_of, command

CODE = ("sh", "python")
READ_AS_A_WHOLE = ("live.md",)  # its Python reads what its shell wrote

# Commands that do not run here, with the reason. A test refuses a command that is in no document.
NOT_RUN = {
    "make .venv/.service": "prepares the environment, which the tests have",
    "make .venv/.test": "prepares the environment, which the tests have",
    "make .venv/.test && . .venv/bin/activate": "prepares the environment, which the tests have",
    ". .venv/bin/activate": "prepares the environment, which the tests have",
    "pip install '.[spark]'": "installs packages, which the tests have",
    "make test": "runs this test",
    "make check": "runs the quick tests for a minute",
    "kraftsim follow": "runs until Ctrl-C; the last line of its block runs the verb",
    "kraftsim follow --path /var/lib/kafka/__cluster_metadata-0 --once": (
        "starts Spark; tests/pipeline/live follows Kafka's own files"
    ),
    "kraftsim scenario run my-scenario.yaml --seed 41 --open": (
        "serves the run until Ctrl-C; tests/kraftsim/test_open_run.py does"
    ),
    "kraftsim up --host 0.0.0.0 --open-lessons": "serves the network until Ctrl-C",
    (
        "kraftsim up --set "
        "authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer"
    ): "serves until Ctrl-C; tests/server/test_acls.py has such a cluster",
    "curl -sN -H 'Accept: text/event-stream' localhost:8090/v1/events": "runs until Ctrl-C",
    "kraftsim campaign report /tmp/campaign --html /tmp/report.html": (
        "starts Spark; tutorial-incident.md runs the verb"
    ),
    "kraftsim campaign check /tmp/campaign": "starts Spark; tutorial-incident.md runs the verb",
    'bin/kafka-storage.sh format --cluster-id "$KRAFTSIM_CLUSTER_ID" --config server.properties': (
        "Kafka's own; tests/interop/test_released_broker.py formats with the same file"
    ),
    "bin/kafka-server-start.sh -daemon server.properties": (
        "Kafka's own; tests/interop/test_released_broker.py starts with the same file"
    ),
    "kraftsim wait --broker 1 --state unfenced": (
        "waits for Kafka's own broker; tests/interop/test_released_broker.py does"
    ),
}

# Documented text, and the text that runs instead: shorter, and inside of the test's folder. What a
# longer one finds is the subject of tests/scenarios.
STAND_INS = {
    "--seeds 0..500": "--seeds 0..1",
    "--seeds 0..50 ": "--seeds 0..1 ",
    "hunt --runs 32": "hunt --runs 1 --round 1",
    "swarm-of-everything --seeds 1..5": "swarm-of-everything --seeds 1..2",
    "active-controller-crash --depth 4": "active-controller-crash --depth 2",
    "/tmp/campaign": "campaign",
    " --out campaign": " --out campaign --engine local",
    "explore --voters 1 --broker": "explore --voters 1 --broker --crashes 0 --sessions 0",
    "explore --partition": "explore --partition --sessions 0",
    "follow --out changes": "follow --out changes --once",
}

STARTS_A_SERVICE = re.compile(r"make run|kraftsim (up|controller run) ")
TALKS_TO_A_CLUSTER = re.compile(
    r"localhost:|127\.0\.0\.1:"
    r"|kraftsim (broker|topic|quorum show|wait|events|cluster|lesson|explain \d)"
)
TEST = re.compile(r"^(async )?def test_", re.MULTILINE)
STARTS_JAVA = re.compile(r"campaign (report|check)|kraftsim follow|pipeline\.|spark\.")


@dataclass(frozen=True, slots=True)
class Session:
    """Blocks that one shell runs in order."""

    name: str
    blocks: tuple[Block, ...]

    @property
    def source(self) -> str:
        """The text of every block, as the page has it."""
        return "\n".join(block.text for block in self.blocks)

    @property
    def has_a_service(self) -> bool:
        """True if a line that runs starts a service or connects to one."""
        return self.needs_a_cluster or bool(STARTS_A_SERVICE.search(self.script))

    @property
    def needs_a_cluster(self) -> bool:
        """True if the lines use a running cluster and do not start it."""
        uses = bool(TALKS_TO_A_CLUSTER.search(self.script))
        return uses and not STARTS_A_SERVICE.search(self.script)

    @property
    def needs_java(self) -> bool:
        """True if a line that runs starts Spark."""
        return bool(STARTS_JAVA.search(self.script))

    @property
    def script(self) -> str:
        """The lines that run here, as a shell script."""
        by_language = groupby(self.blocks, lambda block: block.language)
        return "\n".join(_shell(language, list(blocks)) for language, blocks in by_language)


def sessions() -> list[Session]:
    """Returns the sessions of every page that have a line to run."""
    blocks = [block for page in PAGES for block in blocks_of(page) if block.language in CODE]
    grouped = (Session(name, tuple(group)) for name, group in groupby(blocks, _session_name))
    return [session for session in grouped if session.script.strip()]


def _session_name(block: Block) -> str:
    is_whole = block.page in READ_AS_A_WHOLE or block.page.startswith("tutorial-")
    return block.page if is_whole else f"{block.page}: {block.heading}"


def _shell(language: str, blocks: list[Block]) -> str:
    """Returns the commands of consecutive blocks; Python blocks become one program."""
    text = "".join(block.text for block in blocks)
    if language == "python":
        program = "run_tests" if TEST.search(text) else "run_python"
        return f"{program} <<'PYTHON'\n{text}PYTHON\n"
    text = "\n".join(line for line in text.splitlines() if command(line) not in NOT_RUN)
    for documented, stand_in in STAND_INS.items():
        text = text.replace(documented, stand_in)
    return text
