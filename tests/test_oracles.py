"""Properties derive their truth from requests, replies and the log, not from what they judge."""

import ast
from pathlib import Path

import pytest

from tests.test_architecture import every_import_of, modules, nodes_of, place

pytestmark = pytest.mark.xdist_group("tree")  # one process parses the tree

# A property judges by requests, replies and the log, never by the modules that it judges.
TESTS = Path(__file__).parent
ROOMS = (
    "kraftsim.scenarios.expected",
    "kraftsim.scenarios.oracles",
    "kraftsim.scenarios.properties",
)
# Of the core: values on the wire and in logs, what a user configures, and a release's table.
SPOKEN = ("errors", "log", "node_id", "profile", "rpc", "settings", "uuid")
HANDED = (  # the objects that a property is handed, and judges
    *("broker_agent.hosted_agent", "broker_agent.process_state"),
    *("controller.node.node", "controller.time.timeline", "simulation.message", "simulation.world"),
    *(
        f"controller.raft.{name}"
        for name in ("log", "protocol", "quorum", "roles", "snapshot", "voters")
    ),
)
JUDGED = {  # what else a module judges: it may name its type, and takes no truth from it
    "api": {"controller.core.image.broker"},
    "decisions": {"controller.core.state"},
    "image": {"controller.core.image.image"},
    "leases": {"controller.core.leases"},
    "partition_index": {"controller.core.image.partition_index"},
}
ORACLES = ("kraftsim.scenarios", "kraftsim.pipeline")  # and the tests
ROW_MODULES = ("api_row", "apis", "data_plane_apis")
JUDGES_OF_ROWS = {"test_one_row.py", "test_data_plane.py", "walk/page.py", "walk/test_fields.py"}
STATES_OF_DECISIONS = {"latest"}  # attributes of a node that no oracle reads
READS_IMAGES = {"active_state", "partition_index"}  # judge `state.image` of the active controller


def test_oracles_import_nothing_that_they_judge() -> None:
    allowed = {f"kraftsim.controller.core.{name}" for name in SPOKEN}
    allowed |= {f"kraftsim.{name}" for name in HANDED}
    wrong = []
    for module in modules():
        if not module.startswith(ROOMS):
            continue
        judged = {f"kraftsim.{name}" for name in JUDGED.get(module.rpartition(".")[2], ())}
        for imported in every_import_of(module):
            target = imported.target
            is_spoken = any(f"{target}.".startswith(f"{name}.") for name in allowed)
            is_other = imported.is_ours and not target.startswith(ROOMS)
            if is_other and not is_spoken and target not in judged:
                wrong.append(f"{place(module, imported.line)}: {target}")

    assert wrong == []


def test_oracles_read_no_state_of_decisions() -> None:
    wrong = []
    for module in modules():
        name = module.rpartition(".")[2]
        if not module.startswith(ROOMS) or name in READS_IMAGES:
            continue
        for node in nodes_of(module):
            if isinstance(node, ast.Attribute):
                is_image = node.attr == "image" and ast.unparse(node.value).endswith("state")
                if is_image or node.attr in STATES_OF_DECISIONS:
                    wrong.append(f"{place(module, node.lineno)}: {ast.unparse(node)}")

    assert wrong == []


def test_oracles_read_no_row_of_an_api() -> None:
    """What an API does is judged by lists of one's own, not by the row that says it."""
    rows = {f"kraftsim.controller.core.{name}" for name in ROW_MODULES}
    wrong = [
        place(module, imported.line)
        for module in modules()
        if module.startswith(ORACLES)
        for imported in every_import_of(module)
        if imported.target in rows
    ]
    wrong += [
        f"{path.relative_to(TESTS)}: {name}"
        for path in TESTS.rglob("*.py")
        if not str(path).endswith(tuple(JUDGES_OF_ROWS))
        for name in rows
        if f"from {name} import" in path.read_text("utf-8")
    ]

    assert wrong == []
