"""The types of `kraft_sync` have every public name of a cluster and of its faults."""

import ast

import pytest

from kraftsim import BlockingCluster
from kraftsim.api.cluster import Cluster
from tools.blocking_stub import BLOCKING, RENAMED, STUB

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


@pytest.mark.parametrize("kind", BLOCKING, ids=lambda kind: kind.__name__)
def test_a_blocking_type_has_every_public_name(kind):
    of = Cluster() if kind is Cluster else kind
    more = {"end", "lent", "patch_sleep"} if kind is Cluster else set()
    public = {each for each in dir(of) if not each.startswith("_")}

    assert typed_names(RENAMED[kind.__name__]) == (public | more) - HIDDEN


def test_a_blocking_cluster_holds_its_clock_during_a_block(kraft_sync: BlockingCluster) -> None:
    with kraft_sync.clock.held("test") as shown:
        assert [lock["owner"] for lock in shown["locks"]] == ["test"]

    assert kraft_sync.clock.show()["locks"] == []


def test_a_branch_of_a_blocking_cluster_blocks_too(kraft_sync: BlockingCluster) -> None:
    with kraft_sync.branch() as branch:
        branch.brokers.kill(2)
        branch.wait(broker=2, state="fenced")
        assert branch.brokers.show(2)["fenced"]

    assert not kraft_sync.brokers.show(2)["fenced"]
