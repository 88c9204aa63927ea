"""The order of the rooms of a package: a room imports only rooms of lower ranks.

`LAYERS` of test_architecture.py orders the packages. `RANKS` orders what is directly in a package:
its rooms, and the modules that stand beside them.
"""

import ast
from collections.abc import Iterator, Mapping

import pytest

from tests.test_architecture import Import, every_import_of, imports_of, modules, place
from tests.test_rooms import is_package

pytestmark = pytest.mark.xdist_group("tree")  # one process parses the tree

# From the lowest rank to the highest. Rooms of one rank do not import each other.
RANKS: Mapping[str, tuple[str, ...]] = {
    "kraftsim": (
        "controller errors first_of machine_code printable",
        "broker_agent",
        "simulation",
        "scenarios",
        "configuration recording simulated_loop",
        "advertised chosen_settings explanation pipeline releases service",
        "options",
        "admin files",
        "lessons storage",
        "api",
        "own_nodes",
        "commands operations replay",
        "http",
        "cli",
        "testing",
        "__main__ pytest_plugin",
    ),
    "kraftsim.api": (
        "states",
        "documents",
        "argument_checks",
        "administration",
        "views",
        "running",
        "brokers chaos clock configs controllers events faults log nodes quorum reassignments"
        " requests topics",
        "parts snapshots",
        "cluster",
        "recordings",
    ),
    "kraftsim.broker_agent": (
        "client_match conversation forwarding image_history kept_replies log",
        "data_plane metadata_replies process_state replica_store telemetry",
        "client directories topic_creation",
        "config descriptions",
        "configurations metadata_fetch replication",
        "agent",
        "host",
        "hosted_agent",
        "leading",
        "following",
        "fleet messages",
    ),
    "kraftsim.testing": (
        "blocking keys process_faults recording_file",
        "blocking_cluster requested",
        "aimed_faults event_loops invariants leaks process_cluster simulated_tests",
        "processes",
        "failure_report",
        "exploring",
        "preparation",
        "loop_pool",
        "factory",
        "shared",
    ),
    "kraftsim.service": (
        "event_loop",
        "binding client_view configuration_warnings followed_listener",
        "foreign_peers garbage_collection log_lines request_journal snapshot_files traffic",
        "voter_addresses",
        "broker_apis clock cluster_description observed request_search",
        "outside",
        "fleet_listeners listeners",
    ),
    "kraftsim.simulated_loop": (
        "dates errors failure replacing tasks tcp",
        "hosts libraries refused timed_loop",
        "threads transport",
        "loop patched_sleep real_clocks",
        "process runner runtime",
        "attached",
    ),
    "kraftsim.own_nodes": (
        "mains runtime service",
        "cluster",
        "host",
        "beside",
    ),
    "kraftsim.operations": (
        "parameter_texts",
        "operation",
        "clock configs faults lessons log nodes reassignments snapshots topics",
        "table",
    ),
    "kraftsim.cli": (
        "controller_client held_notice help_texts interrupts progress terminal verb_table",
        "arguments output",
        "completion doctor journal_verbs scenario spark_options storage tables",
        "log quorum topic_write up",
        "service_verbs",
        "campaign cluster_verbs explain_verb replay_verb",
        "operation_verbs",
        "main",
    ),
    "kraftsim.lessons": (
        "act documents link offer page_files shared_answers",
        "camera",
        "lead process release_rules scene tape",
        "film story_events tapes traffic",
        "answers",
        "exports",
        "worker",
        "lessons",
    ),
    "kraftsim.controller": ("core time", "raft wire", "node", "server"),
    "kraftsim.controller.server": (
        "bound_port idleness secrets spare_buffers turns unread_bytes",
        "admission api_versions envelope kafka_caller large_requests",
        "awaited peer_lines runtime",
        "listener outside_brokers outside_controllers",
        "connection muting",
        "kafka_connection",
        "kafka_listener",
    ),
    "kraftsim.controller.core": (
        "value",
        "camel_case errors feature_levels hash_order java_text message node_id settings"
        " topic_name uuid",
        "api_row",
        "data_plane_apis",
        "apis",
        "log policies profile",
        "image rpc",
        "leases mutations refusals",
        "state",
        "slices",
        "configs features partitions quotas security",
        "brokers cluster topics",
        "handlers",
    ),
    "kraftsim.controller.wire": (
        "errors messages",
        "codec frame_reader",
        "records",
        "apis json",
        "frames",
    ),
    "kraftsim.simulation": (
        "delays event_row message ports",
        "topology",
        "requests",
        "causes disks network_rules recurring service_queue streams",
        "controller_nodes controller_process journal network",
        "own_process turning_points",
        "copying world",
        "clients processes",
    ),
    "kraftsim.scenarios": (
        "drawing explore language oracles",
        "expected",
        "explored properties",
        "stage",
        "conditions",
        "claims verbs",
        "document",
        "running",
        "explaining hunting mutants",
        "lint",
        "shrinking",
    ),
    "kraftsim.scenarios.properties": (
        "api broker_questions data_loss decisions eligibility image leases liveness messages"
        " own_properties"
        " partition_index periodic_elections partitions prompt_replies quorum refusals replies"
        " rude_requests",
        "active_state progress registration",
    ),
    "kraftsim.pipeline": (
        "forks live package tables",
        "campaign",
        "analysis",
        "invariants report",
        "engines",
    ),
}


def room_in(package: str, module: str) -> str | None:
    """The room or module of the package that the module belongs to; None for other modules."""
    inside = module.removeprefix(f"{package}.")
    return None if inside == module else inside.partition(".")[0]


def rank_of(package: str, room: str) -> int:
    """The index of the room's rank; above all ranks if the room is not listed."""
    ranks = RANKS[package]
    return next((rank for rank, names in enumerate(ranks) if room in names.split()), len(ranks))


def upward(package: str, module: str, found: Iterator[Import]) -> Iterator[str]:
    """The imports of a room of the same or a higher rank: file, both rooms, imported module."""
    room = room_in(package, module)
    for imported in found:
        target = room_in(package, imported.target)
        if room is None or target is None or target == room:
            continue
        if rank_of(package, target) >= rank_of(package, room):
            line = place(module, imported.line)
            yield f"{line}: {room} imports {target} of {package} upward: {imported.target}"


@pytest.mark.parametrize("package", RANKS)
def test_rooms_import_lower_rooms_only(package: str) -> None:
    wrong = [
        sentence
        for module in modules()
        for sentence in upward(package, module, every_import_of(module))
    ]

    assert wrong == []


def test_an_upward_import_names_the_file_the_rooms_and_the_module() -> None:
    module = "kraftsim.scenarios.language.durations"
    found = imports_of(module, ast.walk(ast.parse("from ..running import drift")))

    assert [*upward("kraftsim.scenarios", module, found)] == [
        "scenarios/language/durations.py:1: language imports running of kraftsim.scenarios upward: "
        "kraftsim.scenarios.running.drift"
    ]


@pytest.mark.parametrize("package", RANKS)
def test_each_room_has_one_rank(package: str) -> None:
    ranked = [name for names in RANKS[package] for name in names.split()]

    assert sorted(ranked) == sorted({room_in(package, module) for module in modules()} - {None})


def test_each_package_with_rooms_is_ranked() -> None:
    rooms = [module for module in modules() if is_package(module) and "." in module]

    assert {room.rpartition(".")[0] for room in rooms} - RANKS.keys() == set()
