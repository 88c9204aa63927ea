"""Small campaigns for tests: a quiet cluster, some of whose seeds end in all the ways there are."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq

from kraftsim.pipeline.campaign.commit_log import Folder, part
from kraftsim.pipeline.tables import TABLES

QUIET = {
    "schema": "kraftsim/scenario/1",
    "name": "quiet",
    "claim": "Nothing happens.",
    "cluster": {"controllers": 1, "brokers": 2, "racks": ["a", "b"]},
    "time": {"warmup": "1s", "run": "3s", "calm": "1s"},
}
FENCED = QUIET | {
    "name": "fenced",
    "claim": "A broker that falls silent is fenced, and comes back.",
    "time": {"warmup": "1s", "run": "30s", "calm": "5s"},
    "do": [{"at": "2s", "proc.pause": {"on": 1, "for": "15s"}}],
    "expect": {"always": ["all"], "sometimes": [{"record": "FenceBroker"}]},
}
# Seeds that end otherwise than in a verdict: by an exit, by a signal, by an error.
EXIT, SEGFAULT, KILL, ERROR, FAIL = 3, 5, 7, 9, 11
CHECKS = f"""
import os, signal

def ends_somehow(world):
    match world.streams.seed:
        case {EXIT}: os._exit(3)
        case {SEGFAULT}: os.kill(os.getpid(), signal.SIGSEGV)
        case {KILL}: os.kill(os.getpid(), signal.SIGKILL)
        case {ERROR}: raise RuntimeError("it is this one")
        case {FAIL}: return "expected another seed"
    return True
"""
DEADLY = QUIET | {
    "name": "deadly",
    "expect": {"always": ["all", "ends.py:ends_somehow"]},
}


def scenario_file(folder: Path, document: dict) -> str:
    (folder / "ends.py").write_text(CHECKS)
    path = folder / f"{document['name']}.yaml"
    path.write_text(json.dumps(document))
    return str(path)


def rows(folder: Path, table: str) -> list[dict]:
    """Every committed row, in the order of shards."""
    found = []
    for number in sorted(Folder(folder).commits()):
        found += pq.read_table(folder / part(table, number)).to_pylist()
    return found


def digests(folder: Path) -> list[tuple]:
    """What must be the same in every campaign of the same plan."""
    return sorted(
        (row["scenario"], row["seed"], row["verdict"], row["digest"])
        for row in rows(folder, "runs")
    )


def all_rows(folder: Path) -> dict[str, list[dict]]:
    """All rows of all tables."""
    return {table: rows(folder, table) for table in TABLES}


def table_files(folder: Path) -> dict[str, bytes]:
    """The bytes of every file of the tables, by path in the folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.parquet")}


def campaign(*words: object, **options: object) -> subprocess.CompletedProcess:
    """`kraftsim campaign ...` in a process of its own."""
    return subprocess.run(
        command(*words), capture_output=True, text=True, check=False, timeout=300, **options
    )


def started(*words: object, **options: object) -> subprocess.Popen:
    """The same, to be interfered with: a session of its own."""
    return subprocess.Popen(
        command(*words),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        **options,
    )


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "kraftsim", "campaign", *map(str, words)]


def until_commits(process: subprocess.Popen, folder: Path, count: int) -> None:
    """Wait for so many shards, or for the end of the process."""
    while len(list((folder / "_shards").glob("[0-9]*.json"))) < count:
        try:
            process.wait(timeout=0.02)
        except subprocess.TimeoutExpired:
            continue
        raise AssertionError(f"expected {count} shards before the end: {process.communicate()}")


def alive_in_session(session: int) -> list[int]:
    """Processes of a session that are still there, zombies apart."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == session and fields[0] != "Z":
                found.append(int(entry.name))
    return found


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, **more}
