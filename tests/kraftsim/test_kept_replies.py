"""A broker's listener keeps its replies until what they describe has changed."""

from itertools import chain, repeat

import pytest

from kraftsim.broker_agent.kept_replies import REPEATED_MAX, REPLIES_MAX
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.rpc import (
    DescribeClusterRequest,
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
    Response,
)
from kraftsim.service.client_view import ClientView
from tests.builders import ControllerUnderTest


@pytest.fixture
def cluster() -> ControllerUnderTest:
    cluster = ControllerUnderTest()
    cluster.unfenced(1, 2)
    cluster.created("orders", (1, 2))
    return cluster


def view_of(cluster: ControllerUnderTest, *draws: float) -> ClientView:
    """Returns a view that draws the controllers it names from `draws`."""
    following = chain(draws, repeat(0.0))
    return ClientView("c", cluster.node.profile, lambda: next(following))


def metadata(view: ClientView, image: Image, name: str = "orders") -> MetadataResponse:
    replies: list[Response] = []
    request = MetadataRequest(
        topics=(MetadataRequestTopic(name=name),), allow_auto_topic_creation=False
    )
    for _ in view.metadata(image, request, replies.append):
        pass
    (reply,) = replies
    assert isinstance(reply, MetadataResponse)
    return reply


def test_the_same_question_about_the_same_metadata_has_the_same_reply(cluster) -> None:
    view = view_of(cluster)
    request = DescribeClusterRequest()

    assert metadata(view, cluster.image) is metadata(view, cluster.image)
    assert view.brokers(cluster.image, request) is view.brokers(cluster.image, request)


def test_a_reply_shows_what_has_changed_since_the_one_before(cluster) -> None:
    view = view_of(cluster)
    before = metadata(view, cluster.image), view.brokers(cluster.image, DescribeClusterRequest())

    cluster.fenced(2)
    after = metadata(view, cluster.image), view.brokers(cluster.image, DescribeClusterRequest())

    assert [len(reply.brokers) for reply in (*before, *after)] == [2, 2, 1, 1]


def test_another_question_another_image_and_another_controller_have_their_own(cluster) -> None:
    view = view_of(cluster, 0.0, 0.9)
    other = ControllerUnderTest()
    other.unfenced(1, 2)
    other.created("orders", (2, 1))

    ids = [metadata(view, cluster.image).controller_id for _ in range(2)]

    assert ids == [1, 2]
    assert metadata(view, cluster.image, "absent").topics[0].error_code == 3
    leaders = [
        metadata(view, image).topics[0].partitions[0].leader_id
        for image in (cluster.image, other.image, cluster.image)
    ]
    assert leaders == [1, 2, 1]


def test_a_broker_that_lags_behind_keeps_its_replies_beside_those_of_the_others(cluster) -> None:
    view = view_of(cluster)
    lagging = cluster.image.copy()
    cluster.fenced(2)

    replies = [metadata(view, image) for image in (lagging, cluster.image) * 2]

    assert replies[0] is replies[2]
    assert replies[1] is replies[3]
    assert [len(reply.brokers) for reply in replies[:2]] == [2, 1]


def test_equal_requests_of_any_number_of_connections_have_the_same_reply(cluster) -> None:
    view = view_of(cluster)

    replies = {id(metadata(view, cluster.image)) for _ in range(2 * REPEATED_MAX)}

    assert len(replies) == 1


def test_many_questions_leave_only_the_latest_replies(cluster) -> None:
    view = view_of(cluster)
    for number in range(REPLIES_MAX):
        cluster.created(f"topic-{number}", (1, 2))
    first = metadata(view, cluster.image)

    for number in range(REPLIES_MAX):
        metadata(view, cluster.image, f"topic-{number}")

    again = metadata(view, cluster.image)
    assert again is not first
    assert again == first


def test_the_name_of_an_unknown_topic_is_not_kept(cluster) -> None:
    """It may have as many bytes as a request."""
    view = view_of(cluster)

    assert metadata(view, cluster.image, "absent") is not metadata(view, cluster.image, "absent")


def test_every_valid_client_has_the_same_api_versions(cluster) -> None:
    view = view_of(cluster)

    assert view.api_versions(cluster.image, 3, None) is view.api_versions(cluster.image, 3, None)
    assert view.api_versions(cluster.image, 3, None) != view.api_versions(cluster.image, 4, None)
