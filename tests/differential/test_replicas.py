"""Sequences of three brokers: drawn from a seed, kept, replayed, and judged by released brokers."""

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.differential.arguments import parse
from tests.differential.judge import Mismatch
from tests.differential.replicas.again import JUDGEMENTS_MAX, judge_again
from tests.differential.replicas.generate import SIDE_BY_SIDE, draw_sequence
from tests.differential.replicas.judge import Judge
from tests.differential.replicas.kept import FOLDER, Recorded, replay
from tests.differential.replicas.observed import Seen
from tests.differential.replicas.run import explaining_row, judge_drawn, side_by_side
from tests.differential.replicas.settings import BROKER_IDS
from tests.differential.replicas.steps import Configure, Elect, Reassign, Sequence, Step
from tests.released.releases import RELEASES

DRAWN = [draw_sequence(1, number) for number in range(10 * SIDE_BY_SIDE)]
LIVE_SEED = 1
DECIDED = "leader-without-a-replica"  # a row of docs/differences.toml


def test_a_seed_draws_the_same_sequence_again() -> None:
    assert draw_sequence(3, 7) == draw_sequence(3, 7)
    assert draw_sequence(3, 7) != draw_sequence(4, 7)


def test_a_sequence_is_read_as_it_was_written() -> None:
    for sequence in DRAWN:
        assert Sequence.of_json(json.loads(json.dumps(sequence.to_json()))) == sequence


def test_sequences_that_are_judged_side_by_side_share_their_faults_and_nothing_else() -> None:
    faults = [[step.fault for step in sequence.steps] for sequence in DRAWN]

    for first in range(0, len(DRAWN), SIDE_BY_SIDE):
        assert all(of == faults[first] for of in faults[first : first + SIDE_BY_SIDE])
    assert len({repr(of) for of in faults}) == len(DRAWN) // SIDE_BY_SIDE
    assert side_by_side([(1, 10), (1, 3), (2, 3), (1, 9)]) == [
        [(1, 3), (1, 9)],
        [(1, 10)],
        [(2, 3)],
    ]


def test_every_sequence_ends_with_all_brokers_running_and_never_has_none() -> None:
    for sequence in DRAWN:
        out: set[int] = set()
        for fault in [step.fault for step in sequence.steps if step.fault is not None]:
            out |= {fault.paused} if fault.paused is not None else set()
            for verb, broker in fault.acts:
                out = out - {broker} if verb in ("start", "resume") else out | {broker}
            assert out < set(BROKER_IDS)
        assert out == set()


def test_writes_elections_and_reassignments_of_every_kind_are_drawn() -> None:
    steps = [step for sequence in DRAWN for step in sequence.steps]
    asks = [step.ask for step in steps]
    moved = [ask.replicas for ask in asks if isinstance(ask, Reassign)]

    assert {write.acks for step in steps for write in step.writes} == {-1, 0, 1}
    assert {ask.is_unclean for ask in asks if isinstance(ask, Elect)} == {True, False}
    assert None in moved  # a reassignment that is cancelled
    assert {len(replicas) for replicas in moved if replicas} == {1, 2, 3}
    outstanding = [step for step in steps if step.fault and step.fault.paused and step.writes]
    assert {verb for step in outstanding for verb, _ in step.fault.acts} == {  # type: ignore[union-attr]
        "end",
        "kill",
        "resume",
        "start",
    }


def test_the_command_draws_200_sequences_of_replicas() -> None:
    assert parse(["--replicas"]).sequences == 200
    assert parse(["--replicas", "--only", "replicas-1-7"]).only == ("replicas-1-7",)


KIND_MIN = 0.01  # of all faults


def test_no_kind_of_fault_is_rare() -> None:
    """What happens to the broker that is paused and to another, while none, one or two are out."""
    kinds: Counter[tuple[int, bool, tuple[str, ...]]] = Counter()
    for ten in range(200):
        out: set[int] = set()
        for step in draw_sequence(1, ten * SIDE_BY_SIDE).steps:
            if step.fault is None:
                continue
            paused, acts = step.fault.paused, step.fault.acts
            names = (f"{verb} {'it' if broker == paused else 'other'}" for verb, broker in acts)
            kinds[len(out), paused is not None, tuple(names)] += 1
            out |= {paused} if paused is not None else set()
            for verb, broker in acts:
                out = out - {broker} if verb in ("start", "resume") else out | {broker}

    assert len(kinds) == 22
    assert min(kinds.values()) > KIND_MIN * kinds.total(), kinds


def test_brokers_are_paused_while_elections_reassignments_and_configurations_are_asked() -> None:
    paused = [step.ask for sequence in DRAWN for step in sequence.steps if step.fault and step.ask]

    assert {type(ask) for ask in paused} == {Reassign, Elect, Configure}


# What differs is judged again


class Late(Recorded):
    """A side of a machine that was too slow."""

    late = "a step with a paused broker took too long"


def _judged_again(
    *ours: str, of_kafka: type[Recorded] = Recorded
) -> tuple[dict[str, list[Mismatch]], dict[str, list[Mismatch]]]:
    """What is said of a sequence of one step, in which ours shows these values one after the other
    and Kafka always the same."""
    sequence = Sequence("replicas-7-5", (1,), (), (Step(),))

    def recorded(values: Iterable[str]) -> list[dict[str, Seen]]:
        return [{sequence.name: {"leader": value}} for value in values for _ in ("created", "step")]

    kafka = of_kafka(recorded("same" for _ in ours))
    verdict = judge_again(Judge(kafka, {"ours": Recorded(recorded(ours))}), [sequence])
    return verdict.differing, verdict.races


def test_what_differs_once_is_a_race_of_the_judge_and_is_not_hidden() -> None:
    differing, races = _judged_again("other", "same")

    assert differing == {}
    assert races == {"replicas-7-5": [Mismatch(-1, "ours", "leader", "same", "other")]}


def test_what_differs_twice_is_no_race() -> None:
    differing, races = _judged_again("other", "another")

    assert differing == {"replicas-7-5": [Mismatch(-1, "ours", "leader", "same", "another")]}
    assert races == {}


def test_what_is_clean_is_judged_once() -> None:
    assert _judged_again("same") == ({}, {})


def test_what_a_late_machine_shows_is_judged_until_it_is_in_time_or_differs_to_the_end() -> None:
    late_then_clean = ("other", "other", "other", "same")
    assert _judged_again(*late_then_clean, of_kafka=Late)[0] == {}
    assert set(_judged_again(*late_then_clean, of_kafka=Late)[1]) == {"replicas-7-5"}

    never_clean = ("other",) * JUDGEMENTS_MAX
    assert set(_judged_again(*never_clean, of_kafka=Late)[0]) == {"replicas-7-5"}


@pytest.mark.parametrize(
    "words",
    [
        ["--only", "replicas-1-7"],
        ["--replicas", "--only", "1-7"],
        ["--replicas", "--keep", "a-name", "--rule", "B6.30"],
    ],
)
def test_sequences_of_replicas_are_named_together_with_the_option(capsys, words) -> None:
    with pytest.raises(SystemExit):
        parse(words)
    assert "--replicas" in capsys.readouterr().err


def test_a_decided_error_code_explains_what_follows_from_it_and_no_other_difference() -> None:
    sequence = Sequence("replicas-7-5", (1,), (), (Step(ask=Reassign((3,))),))
    follows = Mismatch(0, "without delays", "replicas", [1], [3, 1])

    def row_of(*mismatches: Mismatch) -> str | None:
        return explaining_row(RELEASES["4.3.1"], sequence, mismatches)

    assert row_of(follows, Mismatch(0, "without delays", "codes[1]", -1, 0)) == DECIDED
    assert row_of(follows, Mismatch(0, "without delays", "codes[1]", 39, 0)) is None
    assert row_of(follows) is None
    assert row_of() is None


def _kept(path: Path) -> object:
    rule = json.loads(path.read_text("utf-8"))["rule"]
    return pytest.param(path, marks=pytest.mark.rule(rule), id=path.stem)


@pytest.mark.slow
@pytest.mark.parametrize("path", [_kept(path) for path in sorted(FOLDER.glob("*.json"))])
def test_ours_show_what_the_released_brokers_showed(path: Path) -> None:
    assert replay(path) == {}


@pytest.mark.slow
def test_a_difference_names_the_sequence_the_step_and_the_field(tmp_path: Path) -> None:
    kept = json.loads(min(FOLDER.glob("*.json")).read_text("utf-8"))
    name = kept["sequences"][0]["name"]
    kept["seen"][2][name]["epoch"] += 1
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(kept), "utf-8")

    ((found, mismatches),) = replay(path).items()

    assert found == name
    assert [(mismatch.step, mismatch.path) for mismatch in mismatches] == [(1, "epoch")]


@pytest.mark.released
def test_three_released_brokers_and_three_of_ours_show_the_same() -> None:
    numbers = [(LIVE_SEED, number) for number in range(SIDE_BY_SIDE)]

    assert judge_drawn(RELEASES["4.3.1"], numbers) == 0
