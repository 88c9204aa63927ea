"""DescribeCluster: rules 5.5 to 5.19."""

import pytest

from kraftsim.controller.core.cluster.describe_cluster import (
    any_broker,
    describe_brokers,
    live_brokers,
)
from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.handlers import refusal
from kraftsim.controller.core.profile import KAFKA_3_9, KAFKA_4_3, KAFKA_4_4
from kraftsim.controller.core.rpc import DescribeClusterBroker, DescribeClusterRequest
from tests.builders import CLUSTER_ID, CONTROLLER_ID, ControllerUnderTest, listener, make_node


@pytest.fixture
def cluster():
    """Broker 1 serves, 2 is fenced, 3 serves without the clients' listener."""
    cluster = ControllerUnderTest()
    cluster.unfenced(1, rack="r", listeners=(listener(host="one"), listener("REPL", port=1)))
    cluster.registered(2, listeners=(listener(host="two"),))
    cluster.unfenced(3, listeners=(listener("REPL", port=3),))
    return cluster


def of_brokers(cluster, *, name="PLAINTEXT", random=lambda: 0.0, **fields):
    request = DescribeClusterRequest(**fields)
    controller_id = any_broker(live_brokers(cluster.image), random)
    return describe_brokers(
        cluster.image, request, cluster_id=CLUSTER_ID, listener=name, controller_id=controller_id
    )


def of_controllers(cluster, **fields):
    return cluster.ask(DescribeClusterRequest(**{"endpoint_type": 2} | fields))


@pytest.mark.rule("5.14", "5.6", "5.11")
def test_a_controller_lists_the_registered_controllers(cluster):
    reply = of_controllers(cluster)

    me = DescribeClusterBroker(broker_id=CONTROLLER_ID, host="controller.test", port=9990)
    assert ((me,), CONTROLLER_ID, 2, CLUSTER_ID, None, -2147483648) == (
        reply.brokers,
        reply.controller_id,
        reply.endpoint_type,
        reply.cluster_id,
        reply.error_message,
        reply.cluster_authorized_operations,
    )


@pytest.mark.rule("5.11")
def test_with_no_authorizer_everything_is_allowed(cluster):
    reply = of_controllers(cluster, include_cluster_authorized_operations=True)

    assert 8096 == reply.cluster_authorized_operations


@pytest.mark.rule("5.18")
def test_a_controller_ignores_the_wish_for_fenced_brokers(cluster):
    assert of_controllers(cluster) == of_controllers(cluster, include_fenced_brokers=True)


@pytest.mark.rule("5.7", "5.8", "5.10")
@pytest.mark.parametrize(
    ("endpoint_type", "code", "text"),
    [
        (
            1,
            ErrorCode.MISMATCHED_ENDPOINT_TYPE,
            "The request was sent to an endpoint of type CONTROLLER, but we wanted an endpoint of "
            "type BROKER",
        ),
        (3, ErrorCode.UNSUPPORTED_ENDPOINT_TYPE, "Unsupported endpoint type 3"),
        (-1, ErrorCode.UNSUPPORTED_ENDPOINT_TYPE, "Unsupported endpoint type -1"),
    ],
)
def test_a_controller_answers_for_controllers_only(cluster, endpoint_type, code, text):
    error = of_controllers(cluster, endpoint_type=endpoint_type)

    assert (code, text) == (error.code, error.message)


@pytest.mark.rule("5.8")
def test_a_broker_answers_for_brokers_only(cluster):
    with pytest.raises(ApiError) as refused:
        of_brokers(cluster, endpoint_type=2)

    assert (
        "The request was sent to an endpoint of type BROKER, but we wanted an endpoint of type "
        "CONTROLLER" == refused.value.message
    )


@pytest.mark.rule("5.9")
def test_an_error_leaves_everything_else_at_its_default(cluster):
    reply = refusal(
        DescribeClusterRequest(endpoint_type=3), of_controllers(cluster, endpoint_type=3)
    )

    assert ("", -1, (), 1) == (
        reply.cluster_id,
        reply.controller_id,
        reply.brokers,
        reply.endpoint_type,
    )


@pytest.mark.rule("5.13")
def test_before_3_7_controllers_do_not_answer_even_a_bad_question():
    cluster = ControllerUnderTest(KAFKA_3_9, metadata_version=14)

    error = of_controllers(cluster, endpoint_type=3)

    assert ErrorCode.UNSUPPORTED_VERSION == error.code
    assert "Direct-to-controller communication is not supported" in error.message


@pytest.mark.rule("5.13")
@pytest.mark.parametrize(
    ("profile", "text"),
    [
        (KAFKA_4_3, "not supported with the current MetadataVersion."),
        (KAFKA_4_4, "There is no finalized MetadataVersion, so direct-to-controller"),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_a_controller_without_a_finalized_level_describes_no_cluster(profile, text):
    waiting = make_node(profile=profile)

    error = waiting.read(DescribeClusterRequest(endpoint_type=2), 0, 0)

    assert ErrorCode.UNSUPPORTED_VERSION == error.code
    assert text in error.message


@pytest.mark.rule("5.14", "5.15")
def test_a_new_tenure_keeps_the_controllers_registered(cluster):
    cluster.fail_over()

    assert [CONTROLLER_ID] == [b.broker_id for b in of_controllers(cluster).brokers]


@pytest.mark.rule("5.16", "5.17", "5.19")
def test_a_broker_lists_those_who_serve_its_listener(cluster):
    reply = of_brokers(cluster)

    assert [(1, "one", 9092, "r", False)] == [
        (b.broker_id, b.host, b.port, b.rack, b.is_fenced) for b in reply.brokers
    ]
    assert [1, 3] == [b.broker_id for b in of_brokers(cluster, name="REPL").brokers]


@pytest.mark.rule("5.17", "5.19")
def test_fenced_brokers_are_listed_on_request(cluster):
    reply = of_brokers(cluster, include_fenced_brokers=True)

    assert [(1, False), (2, True)] == [(b.broker_id, b.is_fenced) for b in reply.brokers]
    assert "two" == reply.brokers[1].host


@pytest.mark.rule("5.16")
def test_a_broker_in_controlled_shutdown_is_still_listed(cluster):
    cluster.created("t", (1,))
    cluster.heartbeat(1, want_shut_down=True)

    assert [1] == [b.broker_id for b in of_brokers(cluster).brokers]


@pytest.mark.rule("5.16", "5.12")
def test_the_controller_a_broker_names_is_any_live_broker(cluster):
    assert 1 == of_brokers(cluster, random=lambda: 0.0).controller_id
    assert -1 == of_brokers(cluster, random=lambda: 0.99).controller_id  # 3 is not among them
    assert 3 == of_brokers(cluster, random=lambda: 0.99, name="REPL").controller_id
    cluster.fenced(1, 3)
    assert -1 == any_broker(live_brokers(cluster.image), lambda: 0.5)


@pytest.mark.rule("3.9")
def test_an_unregistered_broker_is_not_listed(cluster):
    cluster.unregister(2)

    listed = of_brokers(cluster, include_fenced_brokers=True).brokers
    assert [1] == [b.broker_id for b in listed]


@pytest.mark.rule("8.12")
def test_a_broker_is_listed_with_its_start_time(cluster):
    assert cluster.broker(1).start_time_ms == of_brokers(cluster).brokers[0].start_time_ms > 0
