"""`python -m bench [NAME ...]`: runs the named benchmarks, or all of them."""

import platform
import sys

from tools.native import ROOT

from .attacks import attacks
from .backend import backend
from .browser import browser
from .campaigns import campaigns
from .data_plane.data_plane import data_plane
from .data_plane.replication import replication
from .follow import follow
from .heartbeats import heartbeats, many_brokers
from .kfake.beside_kfake import beside_kfake
from .large_cluster.admin import admin
from .large_requests import large_requests
from .page import page
from .quorum import heartbeats_beside_kafka, quorum
from .report import Row, print_rows, write_rows
from .scale import scale
from .starts import agents, in_process, start
from .virtual.exploring import exploring
from .virtual.loop import loop
from .virtual.messages import messages
from .virtual.searches import searches
from .virtual.simulation import request_faults, simulation
from .virtual.simulation_peers import simulation_peers

BENCHMARKS = {
    module.__name__: module
    for module in (
        heartbeats,
        heartbeats_beside_kafka,
        many_brokers,
        start,
        agents,
        in_process,
        backend,
        beside_kfake,
        data_plane,
        replication,
        admin,
        page,
        browser,
        attacks,
        large_requests,
        request_faults,
        quorum,
        simulation,
        simulation_peers,
        exploring,
        loop,
        messages,
        searches,
        campaigns,
        follow,
        scale,
    )
}


# Benchmarks whose results are written to a document, with the heads of its table.
PAGES = {
    "campaigns": (ROOT / "docs" / "campaigns.md", ("what", "Spark", "processes", "ratio", "goal"))
}


def main(names: list[str]) -> int:
    """Runs the benchmarks and returns the exit code."""
    unknown = set(names) - set(BENCHMARKS)
    if unknown:
        print(f"expected {', '.join(BENCHMARKS)}, got {', '.join(unknown)}", file=sys.stderr)
        return 2
    print(f"Python {platform.python_version()}; medians; ratio is ours to the peer's")
    print_rows([Row("what", "ours", "peer", None, "goal")])
    for name in names or BENCHMARKS:
        rows = print_rows(BENCHMARKS[name]())
        if name in PAGES:
            write_rows(*PAGES[name], rows)
    return 0


sys.exit(main(sys.argv[1:]))
