"""Lines of verbs that need no running cluster, and lines in which one option differs.

Each line runs in a folder of its own with the files of FILES, and those of `prepared.py` that it
names, after the lines of `before`. TMP stands for the folder.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tests.walk.prepared import DONE, OF_CODE, RECORDING

CLUSTER = "the-cluster"
NODE = """\
process.roles=controller
node.id=3000
listeners=CONTROLLER://127.0.0.1:9093
controller.listener.names=CONTROLLER
controller.quorum.bootstrap.servers=127.0.0.1:9093
log.dirs=TMP/log
"""
SMALL = """\
schema: kraftsim/scenario/1
name: small
title: A broker is killed
claim: The broker is fenced, and it comes back.
cluster: {controllers: 1, brokers: 2}
time: {warmup: 1s, run: 15s, calm: 5s}
do:
  - at: 1s
    say: The broker is killed.
    proc.crash: {on: 1, for: 10s}
expect:
  sometimes:
    - {broker: 1, state: fenced}
  calm:
    - {broker: brokers, state: unfenced}
"""
FALSE = SMALL.replace("sometimes:", "never:")
SWEPT = SMALL.replace("brokers: 2}", "brokers: $size}\nsweep: {size: [2, 3]}")
FALSE_SWEPT = SWEPT.replace("sometimes:", "never:")
CHECKS = """\
import multiprocessing
from pathlib import Path


def whatever(world):
    return True


def leaves_a_file(world):
    parent = multiprocessing.parent_process()
    Path("of-the-shell" if parent is None else "of-a-child").touch()
    return True


def never(world):
    return "expected another world"
"""
OWN = """\
schema: kraftsim/scenario/1
name: own
claim: Nothing happens.
cluster: {controllers: 1, brokers: 1}
time: {warmup: 1s, run: 1s, calm: 1s}
expect: {always: ["walked.py:whatever"]}
"""
FILES = {
    "node": NODE,
    "other": NODE.replace("TMP/log", "TMP/other"),
    "small.yaml": SMALL,
    "false.yaml": FALSE,
    "swept.yaml": SWEPT,
    "reduced.yaml": f"{SMALL}smoke:\n  time: {{run: 12s}}\n",
    "broker": "broker.heartbeat.interval.ms=3000\n",
    "settings": "num.partitions=3\n",
    "walked.py": CHECKS,
    "own.yaml": OWN,
    "own-false.yaml": OWN.replace("whatever", "never"),
    "leaving.yaml": OWN.replace("whatever", "leaves_a_file"),
    "false-swept.yaml": FALSE_SWEPT,
    "two.yaml": FALSE.replace("name: small", "name: two"),
}
FORMAT = f"storage format --cluster-id {CLUSTER} --config TMP/node"
VOTERS = "3000@127.0.0.1:9093:q1Sh-9_ISia_zwGINzRvyQ"
ONE = "scenario run swept.yaml --cell size=2"
CREDENTIAL = "SCRAM-SHA-256=[name=alice,password=secret]"


@dataclass(frozen=True, slots=True)
class Line:
    """A line, and for each option or argument a line in which only that differs."""

    line: str
    changes: Mapping[str, str]
    before: tuple[str, ...] = ()


def _with_output(line: str) -> Mapping[str, str]:
    return {"--output": f"{line} --output json", "--json": f"{line} --json"}


def _line(line: str, changes: Mapping[str, str], before: tuple[str, ...] = ()) -> Line:
    return Line(line, {**_with_output(line), **changes}, before)


_LOCAL = "--engine local --workers 1"
_RUN = f"campaign run own.yaml --seeds 1..2 --out TMP/c {_LOCAL}"
_VERIFY = f"campaign verify {DONE} --engine local --sample 1"
OF_CAMPAIGNS: tuple[Line, ...] = (
    Line(f"campaign list {DONE}", {"--utc": f"campaign list {DONE} --utc"}),
    Line(f"campaign show {DONE}", {"--utc": f"campaign show {DONE} --utc"}),
    Line(_RUN, {"--allow-code": f"{_RUN} --allow-code"}),
    Line(f"{_RUN} --allow-code", _with_output(f"{_RUN} --allow-code")),
    _line(
        f"campaign resume {DONE} --engine local",
        {"--workers": f"campaign resume {DONE} --engine local --workers 0"},
    ),
    Line(
        f"campaign resume {DONE} --workers 1",  # refused without --engine local
        {"--engine": f"campaign resume {DONE} {_LOCAL}"},
    ),
    Line(
        f"campaign resume {OF_CODE} {_LOCAL}",
        {"--allow-code": f"campaign resume {OF_CODE} {_LOCAL} --allow-code"},
    ),
    _line(_VERIFY, {"--workers": f"{_VERIFY} --workers 0"}),
    Line(
        f"campaign verify {OF_CODE} {_LOCAL}",
        {"--allow-code": f"campaign verify {OF_CODE} {_LOCAL} --allow-code"},
    ),
    _line(f"campaign sweep {DONE}", {}),
)
LINES: tuple[Line, ...] = (
    *OF_CAMPAIGNS,
    _line(
        "storage info --config TMP/node",
        {"--config": "storage info --config TMP/other"},
    ),
    _line(
        "storage version-mapping",
        {
            "--release-version": "storage version-mapping --release-version 3.9",
            "--profile": "storage version-mapping --profile kafka-3.9",
        },
    ),
    _line(
        "storage feature-dependencies --feature group.version=1",
        {
            "--feature": "storage feature-dependencies --feature transaction.version=2",
            "--profile": (
                "storage feature-dependencies --feature group.version=1 --profile kafka-3.9"
            ),
        },
    ),
    _line("scenario list", {"--tag": "scenario list --tag lesson"}),
    _line(
        "scenario show swept.yaml --cell size=2",
        {
            "scenario": "scenario show two.yaml",
            "--seed": "scenario show swept.yaml --cell size=2 --seed 7",
            "--cell": "scenario show swept.yaml --cell size=3",
        },
    ),
    _line("scenario lint small.yaml", {"scenarios": "scenario lint other.yaml"}),
    _line(
        ONE,
        {
            "scenarios": "scenario run two.yaml",
            "--seed": f"{ONE} --seed 7",
            "--seeds": f"{ONE} --seeds 1..2",
            "--cell": "scenario run swept.yaml --cell size=3",
            "--sweep": "scenario run swept.yaml --cell size=2 --sweep size=2,3",
            "--lines": f"{ONE} --lines 1",
            "--verbose": f"{ONE} --verbose",
            "--junit": f"{ONE} --junit TMP/verdicts.xml",
            "--html": f"{ONE} --html TMP/page.html",
            "--perfetto": f"{ONE} --perfetto TMP/trace",
            "--shiviz": f"{ONE} --shiviz TMP/log",
        },
    ),
    _line(
        "scenario run false.yaml --seeds 1..3",
        {
            "--until-failure": "scenario run false.yaml --seeds 1..3 --until-failure",
            "--time-limit": "scenario run false.yaml --seeds 1..3 --time-limit 0",
        },
    ),
    _line(
        "scenario run reduced.yaml --seed 1",
        {
            "--smoke": "scenario run reduced.yaml --seed 1 --smoke",
            "--link": "scenario run --link lesson=lesson-01-lease&seed=17",
        },
    ),
    Line(
        "scenario run leaving.yaml --seeds 1..3 --allow-code",
        {"--jobs": "scenario run leaving.yaml --seeds 1..3 --allow-code --jobs 2"},
    ),
    Line(
        "scenario run small.yaml --seeds 1..3 --html TMP/page.html",  # says how many runs it is
        {"--all": "scenario run small.yaml --seeds 1..3 --html TMP/page.html --all"},
    ),
    _line(
        "scenario shrink false.yaml",
        {
            "scenario": "scenario shrink two.yaml",
            "--out": "scenario shrink false.yaml --out TMP/least.yaml",
            "--seed": "scenario shrink false.yaml --seed 7",
            "--tries": "scenario shrink false.yaml --tries 1",
        },
    ),
    Line(
        "scenario shrink false-swept.yaml --cell size=2 --tries 1",
        {"--cell": "scenario shrink false-swept.yaml --cell size=3 --tries 1"},
    ),
    Line(
        "scenario shrink own-false.yaml --tries 1",
        {"--allow-code": "scenario shrink own-false.yaml --tries 1 --allow-code"},
    ),
    _line(
        "scenario explore --voters 2 --epochs 1 --states-max 200",
        {
            "scenario": "scenario explore no-such-scenario",
            "--voters": "scenario explore --voters 3 --epochs 1 --states-max 200",
            "--broker": "scenario explore --voters 2 --epochs 1 --states-max 200 --broker",
            "--partition": "scenario explore --partition --states-max 200",
            "--states-max": "scenario explore --voters 2 --epochs 1 --states-max 300",
        },
    ),
    _line("scenario schema", {}),
    _line("scenario new fresh", {"name": "scenario new other"}),
    _line(
        "explain swept.yaml --cell size=2",
        {
            "what": "explain false.yaml",
            "--cell": "explain swept.yaml --cell size=3",
            "--event": "explain swept.yaml --cell size=2 --event 10",
            "--url": "explain 10 --url http://127.0.0.1:9",
        },
    ),
    Line("explain own-false.yaml", {"--allow-code": "explain own-false.yaml --allow-code"}),
    Line("explain lesson-01-lease", {"--seed": "explain lesson-01-lease --seed 3"}),
    _line("completion bash", {"shell": "completion zsh"}),
    _line(f"replay {RECORDING}", {"file": "replay elsewhere"}),
    _line("storage random-uuid", {}),
    _line(
        f"{FORMAT} --standalone",
        {
            "--cluster-id": f"{FORMAT.replace(CLUSTER, 'another')} --standalone",
            "--config": f"{FORMAT.replace('node', 'other')} --standalone",
            "--standalone": FORMAT,
            "--no-initial-controllers": f"{FORMAT} --no-initial-controllers",
            "--initial-controllers": f"{FORMAT} --initial-controllers {VOTERS}",
            "--release-version": f"{FORMAT} --standalone --release-version 4.2",
            "--feature": f"{FORMAT} --standalone --feature group.version=0",
            "--add-scram": f"{FORMAT} --standalone --add-scram {CREDENTIAL}",
            "--profile": f"{FORMAT} --standalone --profile kafka-4.3",
        },
    ),
    _line(
        f"{FORMAT} --standalone",
        {"--ignore-formatted": f"{FORMAT} --standalone --ignore-formatted"},
        before=(f"{FORMAT} --standalone",),
    ),
    _line(
        "scenario mutants M01",
        {
            "names": "scenario mutants M02",
            "--smallest": "scenario mutants M01 --smallest",
            "--swarm": "scenario mutants M01 --swarm 1",
        },
    ),
)
"""The lines."""

_AGENT = f"agent --cluster-id {CLUSTER} --controller 127.0.0.1:9093"
AGENTS = Line(
    _AGENT,
    {
        "--controller": f"agent --cluster-id {CLUSTER} --controller 127.0.0.1:9094",
        "--cluster-id": f"agent --cluster-id {CLUSTER}x --controller 127.0.0.1:9093",
        "--count": f"{_AGENT} --count 2",
        "--first-id": f"{_AGENT} --first-id 7",
        "--rack": f"{_AGENT} --rack a",
        "--kafka-port": f"{_AGENT} --kafka-port 0",
        "--profile": f"{_AGENT} --profile kafka-3.9",
        "--profiles": f"{_AGENT} --profiles 1001=kafka-3.9",
        "--config": f"{_AGENT} --config TMP/broker",
        "--set": f"{_AGENT} --set broker.heartbeat.interval.ms=3000",
    },
)
"""Lines of `agent`."""
_CONTROLLER = f"controller run --node-id 3000 --cluster-id {CLUSTER} --voters {VOTERS}"
CONTROLLER = Line(
    _CONTROLLER,
    {
        "--node-id": _CONTROLLER.replace("3000", "3001", 1),
        "--cluster-id": _CONTROLLER.replace(CLUSTER, f"{CLUSTER}x"),
        "--voters": f"controller run --node-id 3000 --cluster-id {CLUSTER}",
        "--directory-id": f"{_CONTROLLER} --directory-id 0HsdYLIrR7Whd4LVTBfUPA",
        "--listen": f"{_CONTROLLER} --listen 127.0.0.1:9099",
        "--profile": f"{_CONTROLLER} --profile kafka-3.9",
        "--metadata-version": f"{_CONTROLLER} --metadata-version 4.0-IV0",
        "--config": f"{_CONTROLLER} --config TMP/settings",
        "--set": f"{_CONTROLLER} --set num.partitions=3",
    },
)
"""Lines of `controller run`."""
_PLAN = "campaign run reduced.yaml --seeds 1..9 --out TMP/c"
PLANS = Line(
    _PLAN,
    {
        "scenarios": "campaign run two.yaml --seeds 1..9 --out TMP/c",
        "--all": f"{_PLAN} --all",
        "--tag": f"{_PLAN} --tag lesson",
        "--smoke": f"{_PLAN} --smoke",
        "--sweep": f"{_PLAN} --sweep cluster.brokers=2,3",
        "--seeds": _PLAN.replace("1..9", "1..8"),
        "--mutants": f"{_PLAN} --mutants M43",
        "--events": f"{_PLAN} --events none",
        "--shard-seconds": f"{_PLAN} --shard-seconds 0.01",
    },
)
"""Lines of `campaign run`, whose plans differ."""
_RESUME = f"campaign resume {DONE} --engine local"
ENGINES = Line(
    _RESUME,
    {
        "--workers": f"{_RESUME} --workers 7",
        "--engine": f"campaign resume {DONE}",
    },
)
"""Lines of `campaign resume`, whose engines differ."""
