"""Recordings of clusters, and their replays: the same journal from the same inputs."""

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from kraftsim import ApiError, Cluster, CommandError
from kraftsim.api.recordings import recording_of
from kraftsim.controller.core.rpc import (
    CreatableTopic,
    CreateTopicsRequest,
    Request,
    UnregisterBrokerRequest,
)
from kraftsim.controller.server.runtime import Runtime
from kraftsim.controller.wire.frames import encode_request
from kraftsim.errors import UsageError
from kraftsim.recording import recorder
from kraftsim.recording.reading import read_recording
from kraftsim.recording.recorder import REAL_TIME, Input
from kraftsim.recording.recording import Recording
from kraftsim.recording.writing import write_recording
from kraftsim.replay.replay import Replay, replay
from tests.kraftsim.conftest import CLUSTER_ID, Http
from tests.server.kafka_client import connected

UNREGISTRATION = (64, 0, UnregisterBrokerRequest(broker_id=3))


def creation(topic: str) -> tuple[int, int, int, str, Request]:
    """A CreateTopics request, as `encode_request` takes it."""
    topics = (CreatableTopic(name=topic, num_partitions=1, replication_factor=1),)
    return 19, 7, 1, "test", CreateTopicsRequest(topics=topics)


async def replayed(recording: Recording, folder: Path) -> Replay:
    """Replays what a file has kept of the recording."""
    path = folder / "recording.jsonl"
    write_recording(path, recording)
    return await replay(read_recording(path))


async def expect_same(kraft: Cluster, folder: Path) -> None:
    recording = recording_of(kraft)
    again = await replayed(recording, folder)
    assert (again.difference, again.events) == (None, recording.events)
    assert again.is_same
    assert recording.gaps == []


@pytest.mark.parametrize("clock", ["auto", "virtual"])
async def test_verbs_replay(tmp_path: Path, clock: str) -> None:
    async with Cluster(brokers=3, controllers=3, clock=clock, seed=7) as kraft:  # type: ignore[arg-type]
        await kraft.brokers.kill(2)
        await kraft.wait(2, "fenced")
        await kraft.brokers.restart(broker_id=2)
        await kraft.brokers.add("a-rack")
        await kraft.brokers.mute(3)
        await kraft.clock.advance("4s")
        await kraft.brokers.unmute(3)
        await kraft.controllers.kill(3002)
        await kraft.wait(leader="any")
        await kraft.quorum.transfer_leadership()
        await kraft.brokers.pause(1)
        await kraft.clock.advance(2.5)
        await kraft.brokers.stop(3)
        await kraft.clock.advance("1ms")

        await expect_same(kraft, tmp_path)


async def test_the_profile_of_each_node_replays(tmp_path: Path) -> None:
    profiles = {3001: "kafka-4.3", 2: "kafka-4.1"}
    async with Cluster(
        brokers=2, controllers=3, profiles=profiles, clock="virtual", seed=7
    ) as kraft:
        await kraft.brokers.install(1, "kafka-4.3")
        await kraft.controllers.install(3002, "kafka-4.3")
        await kraft.brokers.add(profile="kafka-4.1")
        await kraft.brokers.restart(1)
        await kraft.controllers.kill(3002)
        await kraft.controllers.start(3002)
        await kraft.clock.advance("20s")

        await expect_same(kraft, tmp_path)


async def test_verbs_of_one_name_are_recorded_with_their_nouns() -> None:
    async with Cluster(brokers=1, controllers=3, clock="virtual", seed=7) as kraft:
        await kraft.brokers.kill(1)
        await kraft.controllers.kill(3001)

        names = [given.name for given in recording_of(kraft).inputs]
        assert names == ["brokers.kill", "controllers.kill"]


async def test_refused_verbs_are_refused_again(tmp_path: Path) -> None:
    async with Cluster(brokers=2, clock="auto", seed=7) as kraft:
        with pytest.raises(CommandError):
            await kraft.brokers.kill(9)
        with pytest.raises(ApiError):
            await kraft.decommission(9)
        await kraft.brokers.kill(2)
        await kraft.clock.advance("20s")

        await expect_same(kraft, tmp_path)


async def test_requests_of_kafka_clients_replay(tmp_path: Path) -> None:
    async with Cluster(brokers=3, clock="auto", seed=7, kafka_port=0, controller_port=0) as kraft:
        for addresses in (kraft.bootstrap_servers, kraft.bootstrap_controllers):
            async with connected(addresses.split(",")[0]) as client:
                client.send(*UNREGISTRATION)
                await client.answer(64, 0)
                client.writer.write(encode_request(*creation("orders")))
                client.ask_cluster()
                client.ask_versions()
                await kraft.clock.advance("3s")

        await expect_same(kraft, tmp_path)


@pytest.mark.parametrize(("turns", "expected"), [((1, 2), ["a", "b"]), ((1, 1), ["b", "a"])])
async def test_the_cluster_does_not_act_between_two_frames_of_one_turn(
    turns: tuple[int, int], expected: list[str]
) -> None:
    """A broker forwards the first request; the second one is at the controller already."""
    async with Cluster(brokers=1, clock="auto", seed=7, kafka_port=0, controller_port=0) as kraft:
        recording = recording_of(kraft)
    frames = zip(("broker-1", "controller-3000"), ("a", "b"), turns, strict=True)
    inputs = [
        Input(recording.end_us, "frame", listener, encode_request(*creation(name))[4:], turn)
        for listener, name, turn in frames
    ]

    again = await replay(dataclasses.replace(recording, inputs=inputs))

    created = [row.detail["topic"] for row in again.rows if row.kind == "topic_created"]
    assert created == expected


async def test_requests_over_http_replay(http: Http, kraft: Cluster, tmp_path: Path) -> None:
    await http.kafka("CreateTopics", topics=[{"name": "orders", "numPartitions": 2}])
    await http.kafka("DecommissionBroker", brokerId=3, force=True)
    await http.kafka("DescribeCluster")
    await kraft.clock.advance("1s")

    await expect_same(kraft, tmp_path)


async def test_faults_replay_with_their_draws_and_ends(tmp_path: Path) -> None:
    async with Cluster(brokers=3, clock="auto", seed=7) as kraft:
        await kraft.faults.add({"net.partition": {"on": 1, "for": "12s"}})
        lossy = await kraft.faults.add({"net.loss": {"p": 0.3}})
        await kraft.clock.advance("15s")
        await lossy.remove()
        await kraft.clock.advance("15s")
        assert lossy.hits

        await expect_same(kraft, tmp_path)


@pytest.mark.parametrize("seed", [None, 8])
async def test_a_recording_begins_anew_at_a_reset(tmp_path: Path, seed: int | None) -> None:
    async with Cluster(brokers=2, clock="auto", seed=7) as kraft:
        await kraft.brokers.kill(1)
        await kraft.faults.add({"net.loss": {"p": 0.5}})
        await kraft.clock.advance("9s")
        await kraft.reset(seed)
        assert recording_of(kraft).inputs == []
        await kraft.faults.add({"net.loss": {"p": 0.5}})
        await kraft.clock.advance("9s")

        await expect_same(kraft, tmp_path)


async def test_a_recording_of_real_time_says_that_a_replay_may_differ() -> None:
    async with Cluster(brokers=1, seed=7) as kraft:
        await kraft.brokers.mute(1)

        assert recording_of(kraft).gaps == [REAL_TIME]


async def test_a_cluster_with_too_many_inputs_has_no_recording(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recorder, "INPUTS_MAX", 2)
    async with Cluster(brokers=1, clock="virtual", seed=7) as kraft:
        await kraft.brokers.mute(1)
        await kraft.brokers.unmute(1)
        recording_of(kraft)
        await kraft.brokers.mute(1)

        with pytest.raises(CommandError, match="expected at most 2 inputs"):
            recording_of(kraft)
        assert kraft._live.recorder.inputs == []


async def test_a_world_that_was_restored_has_no_recording(kraft: Cluster) -> None:
    await kraft.clock.advance("1s")

    restored = recorder.Recorder(kraft.world, Runtime(kraft.world.timeline, speed=0.0))

    assert "a recording has no snapshots" in (restored.refusal or "")


Change = Callable[[list[str]], object]


def _set(number: int, **values: object) -> Change:
    """Changes values of a line, numbered as the errors number it."""

    def change(lines: list[str]) -> None:
        lines[number - 1] = json.dumps({**json.loads(lines[number - 1]), **values})

    return change


@pytest.mark.parametrize(
    ("change", "mistake"),
    [
        (
            _set(1, format="kraftsim/recording/1", version="0.0.9"),
            "1: format: expected 'kraftsim/recording/2', got 'kraftsim/recording/1', written by "
            "kraftsim 0.0.9: record the run again",
        ),
        (
            lambda lines: lines.__setitem__(0, "{}"),
            "1: format: expected 'kraftsim/recording/2', got None: record the run again",
        ),
        (lambda lines: lines.insert(1, "{"), "2: expected a JSON object, got '{'"),
        (_set(2, t_us="0"), "2: t_us: expected a whole number, got '0'"),
        (_set(3, t_us=-1), "3: t_us: expected at least 0, as on the line before, got -1"),
        (_set(2, arguments=3), "2: arguments: expected an object, got 3"),
        (
            _set(3, api="CreateTopic"),
            "3: api: expected 'CreateTopics' (nearest), got 'CreateTopic'",
        ),
        (_set(3, request={"topic": 1}), "3: request: topic: "),
        (lambda lines: lines.pop(), "4: end_us: expected a whole number, got None"),
        (_set(5, marks="1"), "5: marks: expected a multiple of 8 characters, got 1"),
    ],
)
async def test_a_bad_file_is_refused_with_line_and_expectation(
    tmp_path: Path, change: Change, mistake: str
) -> None:
    path = tmp_path / "bad.jsonl"
    async with Cluster(brokers=1, clock="auto", seed=7, cluster_id=CLUSTER_ID) as kraft:
        await kraft.brokers.mute(1)
        await kraft.topics.create("orders")
        await kraft.brokers.unmute(1)
        write_recording(path, recording_of(kraft))
    lines = path.read_text().splitlines()
    change(lines)
    path.write_text("\n".join(lines))

    with pytest.raises(UsageError) as refused:
        read_recording(path)

    assert str(refused.value).startswith(f"{path}:{mistake}")


FRAME = '{"t_us": 0, "listener": "broker-9", "turn": 1, "frame": ""}'


@pytest.mark.parametrize(
    ("change", "mistake"),
    [
        (_set(1, options={"broker": 1}), "options of the recording: .*'broker'"),
        (
            _set(2, verb="brokers.mut"),
            "line 2 of the recording: verb: expected 'brokers.mute' .*, got 'brokers.mut'",
        ),
        (
            _set(2, arguments={"id": 1}),
            "line 2 of the recording: arguments of brokers.mute: .*broker_id",
        ),
        (
            lambda lines: lines.insert(1, FRAME),
            "line 2 of the recording: listener: expected that of a node of this cluster",
        ),
    ],
)
async def test_an_input_that_no_cluster_takes_is_refused(
    tmp_path: Path, change: Change, mistake: str
) -> None:
    path = tmp_path / "bad.jsonl"
    async with Cluster(brokers=1, clock="auto", seed=7) as kraft:
        await kraft.brokers.mute(1)
        write_recording(path, recording_of(kraft))
    lines = path.read_text().splitlines()
    change(lines)
    path.write_text("\n".join(lines))

    with pytest.raises(UsageError, match=mistake):
        await replay(read_recording(path))
