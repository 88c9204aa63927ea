"""A refused request is freed with its reply, without the garbage collector."""

import gc
from collections.abc import Callable, Iterator

import pytest

from kraftsim.controller.core.rpc import CreateTopicsRequest, Request, UnregisterBrokerRequest
from kraftsim.controller.core.rpc.scram import (
    AlterUserScramCredentialsRequest,
    ScramCredentialDeletion,
)
from kraftsim.controller.core.state import RECORDS_PER_BATCH_MAX
from tests.builders import ControllerUnderTest

from .large_requests import creation


def of_a_stranger() -> UnregisterBrokerRequest:
    return UnregisterBrokerRequest(broker_id=9)


def of_too_many_topics() -> CreateTopicsRequest:
    return creation(RECORDS_PER_BATCH_MAX)


def of_one_user_twice() -> AlterUserScramCredentialsRequest:
    deletion = ScramCredentialDeletion(name="nobody", mechanism=1)
    return AlterUserScramCredentialsRequest(deletions=(deletion, deletion))


def requests_of(kind: type[Request]) -> set[int]:
    return {id(kept) for kept in gc.get_objects() if type(kept) is kind}


@pytest.fixture
def uncollected() -> Iterator[None]:
    """No garbage collection during the test, and no object of other tests to look at."""
    gc.freeze()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("uncollected")
@pytest.mark.parametrize("refused", [of_a_stranger, of_too_many_topics, of_one_user_twice])
def test_nothing_of_a_refused_request_remains(refused: Callable[[], Request]) -> None:
    cluster = ControllerUnderTest()
    cluster.unfenced(1, 2, 3)
    kind = type(refused())
    gc.collect()
    before = requests_of(kind)

    cluster.hosted.submit(refused(), lambda reply: None)
    cluster.run_for("0s")

    assert before == requests_of(kind)
