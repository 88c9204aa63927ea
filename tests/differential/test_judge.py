"""The judge sees a difference, names its place, and shrinks what shows it."""

import pytest

from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.handlers import HANDLERS
from kraftsim.controller.core.profile import KAFKA_4_3
from kraftsim.controller.core.rpc import UnregisterBrokerRequest
from tests.differential.files import read, write
from tests.differential.generate import draw_sequence, draw_silent_sequence
from tests.differential.judge import Bench, Witness
from tests.differential.pair import CLUSTER_ID
from tests.differential.sequence import Ask, Sequence
from tests.differential.shrink import shrunk
from tests.differential.sides import OurSide
from tests.released.releases import RELEASES

RELEASE = RELEASES["4.3.1"]


def side(**handlers: object) -> OurSide:
    """Ours with other handlers; both sides of a bench may be ours."""
    made = OurSide(KAFKA_4_3, cluster_id=CLUSTER_ID, port=9990, directory_id=bytes(range(16)))
    made.hosted.node._handlers = {**HANDLERS, **handlers.get("handlers", {})}
    return made


def bench(**handlers: object) -> Bench:
    return Bench(Witness(side()), Witness(side(**handlers)))


def refuse(*_: object) -> None:
    raise ApiError(ErrorCode.NOT_CONTROLLER, "planted")


def unregister_nobody() -> Bench:
    return bench(handlers={UnregisterBrokerRequest: refuse})


@pytest.mark.slow
def test_alike_sides_show_no_mismatch() -> None:
    judged = bench()

    for number in range(20):
        assert [] == judged.judge(draw_sequence(RELEASE, CLUSTER_ID, 3, number))


def test_the_first_step_that_differs_is_named_with_its_fields() -> None:
    sequence = draw_sequence(RELEASE, CLUSTER_ID, 3, 0)

    found = unregister_nobody().judge(sequence)

    step = sequence.every_step[found[0].step]
    assert isinstance(step, Ask)
    assert ("UnregisterBroker", "reply.errorCode", 41) == (step.api, found[0].path, found[0].ours)


def test_a_sequence_is_shrunk_to_the_requests_that_matter() -> None:
    sequence = draw_sequence(RELEASE, CLUSTER_ID, 3, 0)
    found = unregister_nobody().judge(sequence)

    smallest = shrunk(sequence, found, lambda candidate: unregister_nobody().judge(candidate))

    assert ["UnregisterBroker"] == [step.api for step in smallest.steps if isinstance(step, Ask)]


def test_one_seed_draws_the_same_sequence_again() -> None:
    for draw in (draw_sequence, draw_silent_sequence):
        assert draw(RELEASE, CLUSTER_ID, 1, 2) == draw(RELEASE, CLUSTER_ID, 1, 2)
        assert draw(RELEASE, CLUSTER_ID, 1, 2) != draw(RELEASE, CLUSTER_ID, 2, 2)


def test_a_sequence_comes_back_from_its_file(tmp_path) -> None:
    for draw in (draw_sequence, draw_silent_sequence):
        sequence: Sequence = draw(RELEASE, CLUSTER_ID, 1, 3)
        path = tmp_path / "sequence.json"

        write(sequence, path)

        assert sequence == read(path)
