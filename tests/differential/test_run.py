"""A run of the judge goes on after whatever one sequence does, and names that sequence."""

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.rpc import BrokerRegistrationRequest, UnregisterBrokerRequest
from tests.differential.both_ours import Pairs, Plant, refused
from tests.differential.confirm import AFTER_OTHERS, ALONE, NEVER_AGAIN, Confirming
from tests.differential.generate import draw_sequence, draw_silent_sequence
from tests.differential.outcome import Finding, Outcome
from tests.differential.pair import CLUSTER_ID
from tests.differential.run import FINDINGS_MAX, Run, batches, starts
from tests.differential.sequence import Ask, Sequence, Silence
from tests.differential.silence import first_difference
from tests.released.releases import RELEASES

pytestmark = pytest.mark.slow


RELEASE = RELEASES["4.3.1"]


def drawn(count: int) -> list[Sequence]:
    return [draw_sequence(RELEASE, CLUSTER_ID, 3, number) for number in range(count)]


def without_silence(number: int) -> Sequence:
    """A silent sequence that nobody has to wait for."""
    sequence = draw_silent_sequence(RELEASE, CLUSTER_ID, 1, number)
    return sequence.with_steps(tuple(s for s in sequence.steps if not isinstance(s, Silence)))


def run_with(pairs: Pairs, progress=lambda outcome: None) -> Run:
    return Run(RELEASE, progress, start=pairs)


def registers(broker_id: int, error: Exception) -> dict[type, Plant]:
    """Fail the registration of one broker."""

    def is_hit(request) -> bool:
        return request.broker_id == broker_id

    plant = Plant(BrokerRegistrationRequest, is_hit, error)
    return {BrokerRegistrationRequest: plant}


def every_unregistration(error: Exception) -> dict[type, Plant]:
    return {UnregisterBrokerRequest: Plant(UnregisterBrokerRequest, lambda _: True, error)}


def names(findings: list[Finding]) -> list[str]:
    return [finding.sequence.name for finding in findings]


def test_an_exception_of_ours_is_a_finding_that_names_it() -> None:
    run = run_with(Pairs(ours=every_unregistration(IndexError("planted"))))

    run.judge_all(drawn(2))

    assert ["3-0", "3-1"] == names(run.outcome.findings)
    first = run.outcome.findings[0].mismatches[0]
    assert "UnregisterBroker" == first.api
    assert "IndexError: planted (both_ours.py:" in str(first)


def test_a_run_stops_when_it_has_found_enough() -> None:
    run = run_with(Pairs(ours=every_unregistration(refused(ErrorCode.NOT_CONTROLLER))))

    run.judge_all(drawn(FINDINGS_MAX + 5))

    assert FINDINGS_MAX == len(run.outcome.findings) == run.outcome.sequences


def test_progress_hears_of_a_finding_before_the_next_sequence() -> None:
    heard: list[tuple[int, int]] = []

    def progress(outcome: Outcome) -> None:
        heard.append((outcome.sequences, len(outcome.findings)))

    run_with(Pairs(ours=every_unregistration(KeyError("planted"))), progress).judge_all(drawn(3))

    assert [(1, 1), (2, 2), (3, 3)] == heard


def test_a_sequence_that_makes_kafka_resign_is_the_only_finding_of_its_batch() -> None:
    culprit = registers(11, refused(ErrorCode.UNKNOWN_SERVER_ERROR))
    run = run_with(Pairs(kafka=culprit))

    run.judge_side_by_side(without_silence(number) for number in range(4))

    assert ["silent-1-1"] == names(run.outcome.findings)
    assert 4 == run.outcome.sequences
    assert not run.outcome.unjudged


def test_an_exception_of_ours_is_the_only_finding_of_its_batch() -> None:
    run = run_with(Pairs(ours=registers(21, KeyError("planted"))))

    run.judge_side_by_side(without_silence(number) for number in range(4))

    assert ["silent-1-2"] == names(run.outcome.findings)
    assert 4 == run.outcome.sequences


def test_a_sequence_after_which_kafka_has_resigned_is_named() -> None:
    run = run_with(Pairs(kafka=registers(11, refused(ErrorCode.NOT_CONTROLLER))))

    run.judge_side_by_side(without_silence(number) for number in range(4))

    (reason,) = run.outcome.unjudged
    assert "silent-1-1: Kafka answered 41 at silent-1-1, step 0 BrokerRegistration" in reason
    assert 3 == run.outcome.sequences
    assert not run.outcome.is_clean


def test_a_controller_that_resigned_after_a_fault_judges_no_other_sequence() -> None:
    """Found at 4.4.0 with seed 5017: a later sequence asked for its leader epoch."""
    fault = every_unregistration(refused(ErrorCode.UNKNOWN_SERVER_ERROR))
    run = run_with(Pairs(kafka=fault, ours=fault))

    run.judge_all(drawn(2))

    assert (run.outcome.findings, run.outcome.sequences, run.outcome.pairs) == ([], 2, 2)


def test_silent_sequences_that_share_a_number_are_judged_one_after_the_other() -> None:
    first, other = (draw_silent_sequence(RELEASE, CLUSTER_ID, seed, 3) for seed in (1, 2))
    third = draw_silent_sequence(RELEASE, CLUSTER_ID, 1, 4)

    assert [{3: first, 4: third}, {3: other}] == batches([first, other, third])


def test_a_finding_is_shrunk_and_shown_again_by_fresh_controllers() -> None:
    pairs = Pairs(ours=every_unregistration(refused(ErrorCode.NOT_CONTROLLER)))
    run = run_with(pairs)
    run.judge_all(drawn(1))

    confirmed = Confirming(RELEASE, lambda _: None, pairs).confirm(run.outcome.findings[0])

    assert ALONE == confirmed.verdict
    steps = confirmed.finding.sequence.steps
    assert ["UnregisterBroker"] == [step.api for step in steps if isinstance(step, Ask)]


def test_a_finding_that_needs_its_predecessors_names_them() -> None:
    class PairsThatTire(Pairs):
        """Ours refuses from the third unregistration of broker 1 on."""

        def __call__(self, *_: object, session_timeout_ms: int = 9000):
            seen: list[object] = []

            def is_hit(request) -> bool:
                seen.extend([request] if request.broker_id == 1 else [])
                return len(seen) > 2

            plant = Plant(UnregisterBrokerRequest, is_hit, refused(ErrorCode.NOT_CONTROLLER))
            return Pairs(ours={UnregisterBrokerRequest: plant})()

    once = Ask("UnregisterBroker", 0, {"brokerId": 1})
    sequences = [Sequence(f"3-{number}", (once,)) for number in range(5)]
    pairs = PairsThatTire()
    run = run_with(pairs)
    run.judge_all(sequences)

    confirmed = Confirming(RELEASE, lambda _: None, pairs).confirm(run.outcome.findings[0])

    assert AFTER_OTHERS == confirmed.verdict
    assert ["3-0", "3-1"] == [sequence.name for sequence in confirmed.finding.before]


def test_a_finding_that_never_comes_again_says_so() -> None:
    run = run_with(Pairs(ours=every_unregistration(refused(ErrorCode.NOT_CONTROLLER))))
    run.judge_all(drawn(1))

    confirmed = Confirming(RELEASE, lambda _: None, Pairs()).confirm(run.outcome.findings[0])

    assert NEVER_AGAIN == confirmed.verdict
    assert run.outcome.findings[0] == confirmed.finding


@pytest.mark.parametrize("count", [1, 39, 40, 9000])
def test_every_drawn_sequence_has_one_start(count: int) -> None:
    assert list(range(count)) == [
        number for _, numbers in starts(RELEASE, count) for number in numbers
    ]


def test_a_silent_difference_names_the_step_that_wrote_the_record() -> None:
    same, mine = ({"type": "A"}, (3, "BrokerHeartbeat")), ({"type": "B"}, (5, "silence"))
    other = ({"type": "C"}, (4, "AlterPartition"))

    assert (5, "silence") == first_difference([same, mine], [same, other])
    assert (4, "AlterPartition") == first_difference([same], [same, other])
