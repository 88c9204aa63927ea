"""Random faults beside a program: drawn from a seed, within a budget, healed at their end."""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import pytest

from kraftsim import Cluster, CommandError
from kraftsim.api.recordings import recording_of
from kraftsim.replay.replay import replay
from kraftsim.scenarios.drawing.chaos import LASTING, USUAL, VERBS, drawn_chaos, kinds_of
from kraftsim.scenarios.drawing.faults import FAULTS
from kraftsim.scenarios.drawing.lot import Lot
from kraftsim.scenarios.drawing.steps import Budget, lasting_ms_of, words_of
from kraftsim.scenarios.drawing.steps import nodes_of as named_nodes

CONTROLLERS, BROKERS = (3000, 3001, 3002, 3003, 3004), (1, 2, 3, 4)
DAY_MS = 86_400_000
Faults = list[tuple[str, int, Mapping[str, Any]]]


def cluster(**options: Any) -> Cluster:
    return Cluster(**{"brokers": 4, "controllers": 3, "clock": "virtual", "seed": 1} | options)


async def begun_in(
    kraft: Cluster, seed: int, duration: str = "3m", **words: Any
) -> list[tuple[str, object]]:
    """The faults that begin in some time, with their words."""
    async with kraft.chaos(seed, **words):
        await kraft.clock.advance(duration)
    return [(fault["verb"], fault["words"]) for fault in await kraft.faults.list()]


async def test_one_seed_repeats_its_faults_and_another_draws_others() -> None:
    found = []
    for seed in (7, 7, 8):
        async with cluster() as kraft:
            found.append(await begun_in(kraft, seed))

    assert found[0] == found[1] != found[2]
    assert len(found[0]) > 5


async def test_a_healed_cluster_has_a_leader_unfenced_brokers_and_full_isrs() -> None:
    async with cluster() as kraft:
        await kraft.topics.create("orders", partitions=6, replication_factor=3)
        budget = {"controllers": 3, "brokers": 4}
        async with kraft.chaos(3, verbs=["proc.*"], budget=budget):
            await kraft.clock.advance("3m")
            await kraft.brokers.kill(2)

        assert kraft.world.active is not None
        assert [row["fenced"] for row in await kraft.brokers.list()] == [False] * 4
        partitions = (await kraft.topics.describe("orders"))["partitions"]
        assert all(sorted(row["isr"]) == sorted(row["replicas"]) for row in partitions)
        assert not any(fault["open"] for fault in await kraft.faults.list())
        count = len(await kraft.faults.list())
        await kraft.clock.advance("5m")
        assert len(await kraft.faults.list()) == count


async def test_a_block_that_raises_leaves_its_faults_for_the_report() -> None:
    async with cluster() as kraft:
        with pytest.raises(ValueError, match="mistake"):
            await fails_in_chaos(kraft)
        fenced = [row["brokerId"] for row in await kraft.brokers.list() if row["fenced"]]
        count = len(await kraft.faults.list())
        await kraft.clock.advance("5m")

        assert fenced != []
        assert len(await kraft.faults.list()) == count


async def fails_in_chaos(kraft: Cluster) -> None:
    async with kraft.chaos(7, verbs=["proc.crash"]):
        await kraft.clock.run_until("broker_fenced", timeout="1h")
        raise ValueError("mistake")


async def test_a_cluster_that_cannot_heal_says_what_is_missing() -> None:
    async with cluster() as kraft:
        await kraft.topics.create("orders", partitions=1, replication_factor=4)
        await kraft.chaos.begin(7, ["net.delay"])
        await kraft.clock.advance("1s")
        await kraft.brokers.mute(2)
        await kraft.clock.advance("20s")
        with pytest.raises(TimeoutError, match=r"broker 2: .*fenced.*lack replicas: orders-0"):
            await kraft.chaos.end("5s")


async def test_one_chaos_at_a_time() -> None:
    async with cluster() as kraft:
        await kraft.chaos.begin(7)
        with pytest.raises(CommandError, match=r"end them with `chaos\.end`"):
            await kraft.chaos.begin(8)
        await kraft.chaos.end()
        await kraft.chaos.begin(8)
        await kraft.clock.advance("1m")

        assert (await kraft.faults.list())[-1]["id"].startswith("chaos2-")


async def test_a_reset_ends_random_faults_and_others_then_begin_as_in_a_new_cluster() -> None:
    async with cluster() as kraft:
        await kraft.chaos.begin(7)
        await kraft.reset()
        await kraft.clock.advance("5m")
        assert await kraft.faults.list() == []

        await kraft.reset()
        after_reset = await begun_in(kraft, 7)
        assert (await kraft.faults.list())[0]["id"] == "chaos-1"
    async with cluster() as kraft:
        assert await begun_in(kraft, 7) == after_reset


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"verbs": ["net.los"]}, r"verbs: expected 'net\.loss' \(nearest\), got 'net\.los'"),
        ({"verbs": ["quorum.add"]}, r"verbs: expected .*, got 'quorum\.add'"),
        ({"verbs": ["xyz"]}, r"expected acl\.\*, .*topic\.elect_leaders, got 'xyz'"),
        ({"verbs": "net.*"}, r"verbs: expected a list of verbs such as \['net\.\*'\]"),
        ({"verbs": []}, "verbs: expected a list of verbs"),
        ({"budget": 2}, r"budget: expected a mapping such as \{'brokers': 1\}, got 2"),
        ({"budget": {"broker": 1}}, r"budget: expected 'brokers' \(nearest\), got 'broker'"),
        ({"budget": {"brokers": 5}}, "budget: brokers: expected 0 to 4, got 5"),
        ({"budget": {"brokers": True}}, "budget: brokers: expected an int"),
        (
            {"verbs": ["disk.*"], "budget": {"controllers": 0}},
            "budget: expected nodes for a fault of disk.full, .*, got 0 controllers and 1 brokers",
        ),
        ({"seed": "7"}, "seed: expected an int"),
    ],
)
async def test_a_mistake_is_refused_with_what_was_expected(
    words: dict[str, Any], message: str
) -> None:
    async with cluster() as kraft:
        with pytest.raises(CommandError, match=message):
            await kraft.chaos.begin(**words)


@pytest.mark.parametrize("verbs", [["net.*"], ["proc.pause", "topic.*"], ["quorum.transfer"]])
async def test_only_the_named_verbs_and_groups_occur(verbs: list[str]) -> None:
    async with cluster() as kraft:
        found = {verb for verb, _ in await begun_in(kraft, 7, "4m", verbs=verbs)}

    groups = {name.removesuffix("*") for name in verbs}
    assert found
    assert all(any(verb.startswith(group) for group in groups) for verb in found)


async def test_a_replay_lives_through_the_same_chaos() -> None:
    async with cluster() as kraft:
        await kraft.topics.create("orders", partitions=6, replication_factor=3)
        await begun_in(kraft, 7, verbs=["net.*", "proc.*", "topic.*"])
        recording = recording_of(kraft)

    assert (await replay(recording)).is_same


def strikes(budget: Budget, seed: int, verbs: Sequence[str] = USUAL) -> Faults:
    """The faults of a day: their kind of pool, begin and words."""
    lot = Lot(Random(seed), "kafka-4.4", CONTROLLERS, BROKERS, ())
    found: Faults = []
    for at_ms, step in drawn_chaos(lot, kinds_of(lot, verbs, budget), budget):
        if at_ms > DAY_MS:
            break
        if step is not None:
            (word,) = (key for key, value in step.items() if isinstance(value, dict))
            found.append((word, at_ms, step))
    return found


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("controllers", "brokers"), [(2, 1), (1, 3), (0, 1), (1, 0)])
def test_a_budget_bounds_the_processes_that_are_down_at_a_time(
    seed: int, controllers: int, brokers: int
) -> None:
    down: dict[int, int] = {}  # until when
    most = {True: 0, False: 0}
    for _, at_ms, step in strikes(Budget(controllers, brokers), seed, ("proc.crash", "proc.stop")):
        (node,) = named_nodes(step)
        assert down.get(node, 0) <= at_ms
        down[node] = at_ms + lasting_ms_of(words_of(step))
        for of_controllers in most:
            struck = [n for n, end in down.items() if end > at_ms and (n >= 3000) == of_controllers]
            most[of_controllers] = max(most[of_controllers], len(struck))

    assert most == {True: controllers, False: brokers}


def test_a_controller_that_ends_for_good_counts_until_the_cluster_is_healed() -> None:
    ended = [
        node
        for _, _, step in strikes(Budget(2, 0), 1, ("disk.full",))
        for node in named_nodes(step)
    ]

    assert len({*ended}) == len(ended) == 2


def test_faults_of_all_nodes_at_once_need_a_budget_of_all_nodes() -> None:
    lot = Lot(Random(1), "kafka-4.4", CONTROLLERS, BROKERS, ())
    all_at_once = {"shaped net.partition", "net.swizzle"}

    assert not all_at_once & {*kinds_of(lot, USUAL, Budget(4, 3))}
    assert all_at_once <= {*kinds_of(lot, USUAL, Budget(5, 4))}


def test_every_verb_that_the_swarm_draws_can_be_named_but_those_of_addresses() -> None:
    lot = Lot(Random(1), "kafka-4.4", CONTROLLERS, BROKERS, ())
    kinds = kinds_of(lot, VERBS, Budget(5, 4))

    left_out = {word for word, _, _ in FAULTS.values()} - {*VERBS}
    assert left_out == {"proc.move", "quorum.remove", "rpc.forge"}
    assert {FAULTS[kind][0] if kind in FAULTS else kind for kind in kinds} == {*VERBS}
    assert {*VERBS} - {*USUAL} == {*LASTING} & {*VERBS}


def test_a_cluster_that_starts_imports_no_draws() -> None:
    program = (
        "import asyncio, sys\n"
        "from kraftsim import Cluster\n"
        "async def main():\n"
        "    async with Cluster(brokers=1, clock='virtual'):\n"
        "        print([name for name in sys.modules if 'scenarios.drawing' in name])\n"
        "asyncio.run(main())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert done.stdout == "[]\n"
