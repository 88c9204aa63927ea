"""Records what becomes of each call: `python -m tests.interop.foreign.record [CLIENT ...]`.

Writes tests/interop/foreign/recorded/CLIENT.json, which the suite expects and from which
`python -m tools.foreign_clients.page` writes docs/clients.md. `released-4.3.1` stands for the calls
of the Java client to a released cluster.
"""

import json
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tests.interop.foreign.conversation import Conversation, Said
from tests.interop.foreign.programs import JAVA, PROGRAMS, RECORDED, Program
from tests.interop.foreign.released import RELEASED, released_cluster
from tests.interop.foreign.simulated import simulated_cluster
from tests.interop.foreign.state import Cluster


def spoken(program: Program, cluster: Cluster) -> tuple[list[Said], list[str] | None]:
    """Lets a client make all its calls; returns them, and the methods that were not called.

    Fails if a call succeeded and the cluster is not as it should be.
    """
    cluster.prepare()
    arguments = (cluster.servers, program.topic, str(cluster.target), str(cluster.ghost))
    conversation = Conversation(program.command(), arguments)
    calls: list[Said] = []
    for said in conversation:
        if said.outcome == "result":
            cluster.check(said.call, program.topic)
        calls.append(said)
    return calls, conversation.uncalled


def rows_of(calls: Iterable[Said]) -> dict[str, dict[str, str | bool]]:
    """Returns what is recorded of each call."""
    rows: dict[str, dict[str, str | bool]] = {}
    for said in calls:
        rows[said.call] = {"method": said.method, "outcome": said.outcome}
        if said.explained:
            rows[said.call]["explained"] = True
    return rows


def write(name: str, version: str, calls: Iterable[Said]) -> None:
    """Writes the file of a client."""
    text = json.dumps({"client": name, "version": version, "calls": rows_of(calls)}, indent=1)
    (RECORDED / f"{name}.json").write_text(f"{text}\n", "utf-8")


def main(names: list[str]) -> None:
    """Records the named clients, or all of them and the released cluster."""
    names = names or [*(program.name for program in PROGRAMS), RELEASED]
    chosen = [program for program in PROGRAMS if program.name in names]
    with tempfile.TemporaryDirectory(prefix="kraftsim-foreign-") as folder:
        if chosen:
            with simulated_cluster(Path(folder)) as cluster:
                for program in chosen:
                    calls, uncalled = spoken(program, cluster)
                    write(program.name, program.version, calls)
                    slowest = max(calls, key=lambda said: said.milliseconds)
                    print(f"{program.name}: {len(calls)} calls; not called: {uncalled or 'none'}")
                    print(f"    the slowest: {slowest.call}, {slowest.milliseconds} ms")
        if RELEASED in names:
            with released_cluster(Path(folder) / "kafka") as cluster:
                calls, _ = spoken(JAVA[-1], cluster)
            write(RELEASED, JAVA[-1].version, calls)
            print(f"{RELEASED}: {len(calls)} calls")


if __name__ == "__main__":
    main(sys.argv[1:])
