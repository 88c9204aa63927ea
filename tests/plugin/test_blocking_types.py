"""The types of `kraft_sync` have every public name of a cluster and of its faults."""

import ast

import pytest

from kraftsim import BlockingCluster
from kraftsim.api.cluster import Cluster
from kraftsim.api.faults import FaultHandle, Faults
from kraftsim.api.snapshots import Snapshots
from tools.blocking_stub import STUB

OF_INSTANCES = {"options", "generation", "cluster_id"}
HIDDEN = {
    "offer",  # the command of an opened run gives it before the cluster starts
    "opens_lessons",  # it is set before the cluster starts
    "world_listeners",  # they are called in the thread of the cluster
}


def typed_names(name):
    tree = ast.parse(STUB.read_text("utf-8"))
    (found,) = (node for node in tree.body if getattr(node, "name", "") == name)
    named = [getattr(node, "name", None) or node.target.id for node in found.body]
    return {each for each in named if not each.startswith("_")}


@pytest.mark.parametrize(
    ("kind", "name", "more"),
    [
        (Cluster, "BlockingCluster", {"end", *OF_INSTANCES}),
        (Faults, "BlockingFaults", set()),
        (FaultHandle, "BlockingFaultHandle", set()),
        (Snapshots, "BlockingSnapshots", set()),
    ],
)
def test_a_blocking_type_has_every_public_name(kind, name, more):
    public = {each for each in dir(kind) if not each.startswith("_")}

    assert typed_names(name) == (public | more) - HIDDEN


def test_a_branch_of_a_blocking_cluster_blocks_too(kraft_sync: BlockingCluster) -> None:
    with kraft_sync.branch() as branch:
        branch.kill(2)
        branch.wait(broker=2, state="fenced")
        assert branch.broker(2)["fenced"]

    assert not kraft_sync.broker(2)["fenced"]
