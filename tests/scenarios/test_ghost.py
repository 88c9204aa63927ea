"""What the ghost believes of logs that no simulated broker has (S31, S32)."""

from kraftsim.scenarios.oracles.epoch_tree import EpochTree
from kraftsim.scenarios.oracles.ghost import EMPTY, Ghost, Partition, Position
from tests.scenarios.watched import watched_world


def fact(isr=(), elr=(), replicas=(1, 2)):
    return {"replicas": replicas, "isr": isr, "eligible_leader_replicas": elr}


def partition_of(**logs):
    tree = EpochTree()
    tree.begin(1, EMPTY)
    tree.begin(4, Position(1, 100))
    partition = Partition(fact(), min_isr=1, since_us=0, tree=tree)
    partition.logs = {int(name[1:]): log for name, log in logs.items()}
    partition.acknowledged = Position(4, 200)
    return partition


def ghost():
    world, _ = watched_world(1, classes=())
    return Ghost(world)


def test_a_replica_that_joins_gives_back_what_an_earlier_leader_wrote():
    """Hunt 79: its log was longer, but of the epoch before."""
    partition = partition_of(b1=Position(4, 300), b2=Position(1, 900))

    ghost()._propose(partition, (1, 2))

    assert {1: Position(4, 300), 2: Position(4, 200)} == partition.logs


def test_a_removed_replica_in_an_elr_has_no_log():
    """Hunt 79: the ghost looked for one, and ended."""
    partition = partition_of(b1=Position(4, 300))
    partition.fact = fact(isr=(1,), elr=(2,), replicas=(1,))
    before = fact(isr=(1,), elr=(2,))
    partition.without_log = frozenset({2})

    ghost()._note_without_log(partition, before)

    assert {2} == partition.without_log
