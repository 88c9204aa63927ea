"""Runs all tests of an `xdist_group` in one process.

A worker of pytest-xdist 3.8 reports the group of a test as a suffix of its node id, which pytest
9.2 drops without a warning (pytest-xdist issue 1386). With this plugin each worker writes the
groups of its tests to a file, which the scheduler reads.
"""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadGroupScheduling
from xdist.workermanage import WorkerController

GROUPS_FILE = "kraftsim_groups_file"  # key of the input of a worker
FOLDER = pytest.StashKey[TemporaryDirectory[str]]()


class Scheduling(LoadGroupScheduling):
    """Schedules the tests of a group as one unit of work, each other test alone."""

    def __init__(self, config: pytest.Config, log: Producer) -> None:
        super().__init__(config, log)
        self._groups: dict[str, str] = {}

    def add_node_collection(self, node: WorkerController, collection: Any) -> None:
        """Reads the groups of a worker that has collected its tests."""
        self._groups |= json.loads(Path(node.workerinput[GROUPS_FILE]).read_text("utf-8"))
        super().add_node_collection(node, collection)

    def _split_scope(self, nodeid: str) -> str:
        return self._groups.get(nodeid, nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling | None:
    return Scheduling(config, log) if config.getvalue("dist") == "loadgroup" else None


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: WorkerController) -> None:
    stash = node.config.stash
    if FOLDER not in stash:
        stash[FOLDER] = TemporaryDirectory(prefix="kraftsim-groups-")
    node.workerinput[GROUPS_FILE] = str(Path(stash[FOLDER].name, f"{node.gateway.id}.json"))


def pytest_unconfigure(config: pytest.Config) -> None:
    if FOLDER in config.stash:
        config.stash[FOLDER].cleanup()


@pytest.hookimpl(tryfirst=True)  # before xdist reports to the scheduler what is collected
def pytest_collection_finish(session: pytest.Session) -> None:
    path = getattr(session.config, "workerinput", {}).get(GROUPS_FILE)
    if path is not None:
        groups = {
            item.nodeid: "_".join(sorted({mark.args[0] for mark in marks}))
            for item in session.items
            if (marks := list(item.iter_markers("xdist_group")))
        }
        Path(path).write_text(json.dumps(groups), "utf-8")
