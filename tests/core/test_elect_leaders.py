"""ElectLeaders: preferred and unclean elections that a request asks for."""

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.log.records import RECOVERING
from kraftsim.controller.core.rpc import ElectedTopicPartitions, ElectLeadersRequest
from tests.builders import ControllerUnderTest

PREFERRED, UNCLEAN = 0, 1


@pytest.fixture
def cluster() -> ControllerUnderTest:
    cluster = ControllerUnderTest()
    cluster.unfenced(1, 2, 3)
    return cluster


def elect(cluster, election, name="t", partition_id=0):
    asked = (ElectedTopicPartitions(topic=name, partitions=(partition_id,)),)
    reply = cluster.ask(ElectLeadersRequest(election_type=election, topic_partitions=asked))
    ((result,),) = (topic.partition_result for topic in reply.replica_election_results)
    return result.error_code, result.error_message


def moved_away(cluster, name="t") -> None:
    """The preferred leader 1 is fenced and comes back into the ISR, where 2 leads."""
    cluster.created(name, (1, 2))
    cluster.fenced(1)
    cluster.unfenced(1)
    cluster.alter_partition(name, (2, 1))
    assert (2, (2, 1)) == cluster.leadership(name)


@pytest.mark.rule("4.10", "4.32")
def test_a_preferred_election_gives_the_first_replica_its_leadership_back(cluster) -> None:
    moved_away(cluster)

    (record,) = cluster.writes(lambda: elect(cluster, PREFERRED))

    assert cluster.change("t", leader=1) == record
    assert (1, (2, 1)) == cluster.leadership("t")


@pytest.mark.rule("4.32")
def test_an_election_that_is_not_needed_is_refused(cluster) -> None:
    cluster.created("t", (1, 2))
    not_needed = (
        ErrorCode.ELECTION_NOT_NEEDED,
        "Leader election not needed for topic partition.",
    )

    assert not_needed == elect(cluster, PREFERRED)
    assert not_needed == elect(cluster, UNCLEAN)


@pytest.mark.rule("4.32")
def test_a_preferred_leader_that_is_out_of_sync_is_not_available(cluster) -> None:
    cluster.created("t", (1, 2))
    cluster.fenced(1)

    assert elect(cluster, PREFERRED) == (
        ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE,
        "The preferred leader was not available.",
    )


@pytest.mark.rule("4.9", "4.11", "4.32")
def test_an_unclean_election_takes_a_live_replica_that_may_have_lost_data(cluster) -> None:
    cluster.created("t", (1, 2))
    cluster.alter_partition("t", (1,))
    cluster.fenced(1)
    assert cluster.partition("t").leader == -1

    assert (0, None) == elect(cluster, UNCLEAN)

    partition = cluster.partition("t")
    assert (2, (2,), RECOVERING) == (
        partition.leader,
        partition.isr,
        partition.leader_recovery_state,
    )


@pytest.mark.rule("4.32")
def test_without_a_live_replica_no_unclean_leader_is_available(cluster) -> None:
    cluster.created("t", (1,))
    cluster.fenced(1)

    assert elect(cluster, UNCLEAN) == (
        ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE,
        "Eligible topic partition leaders are not available.",
    )


@pytest.mark.rule("4.32")
def test_unknown_topics_partitions_and_types_are_refused(cluster) -> None:
    cluster.created("t", (1,))
    unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION

    assert (unknown, "No such topic as none") == elect(cluster, PREFERRED, "none")
    assert (unknown, "No such partition as t-7") == elect(cluster, PREFERRED, "t", 7)
    asked = (ElectedTopicPartitions(topic="t", partitions=(0,)),)
    request = ElectLeadersRequest(election_type=9, topic_partitions=asked)
    assert ErrorCode.INVALID_REQUEST == cluster.refused(request)


@pytest.mark.rule("4.32")
def test_an_election_of_all_leaves_out_partitions_that_need_none(cluster) -> None:
    moved_away(cluster)
    cluster.created("u", (3,))

    reply = cluster.ask(ElectLeadersRequest(election_type=PREFERRED, topic_partitions=None))

    found = {
        topic.topic: [result.partition_id for result in topic.partition_result]
        for topic in reply.replica_election_results
    }
    assert {"t": [0], "u": []} == found
    assert cluster.partition("t").leader == 1
