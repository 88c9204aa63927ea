"""The recorded requests about messages, put to a simulated broker in the order of the wire.

4.3.1 was one controller and one broker. Topic ids and session ids are drawn, so ours are exchanged
for the recorded ones; the clock is set to what it showed. Everything else is compared as it is.
"""

import json
import lzma
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import pytest

from kraftsim.broker_agent.forwarding import Forwarding
from kraftsim.broker_agent.log.periodic import Periodic
from kraftsim.broker_agent.log.waits import FetchWaits
from kraftsim.broker_agent.messages.messages import Messages
from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.handlers import response_to
from kraftsim.controller.core.node_id import broker_node
from kraftsim.controller.core.profile import KAFKA_4_3
from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.frames import (
    decode_request,
    decode_response,
    encode_response,
    read_request_header,
)
from kraftsim.controller.wire.json.json_form import to_json
from tests.worlds import ask, pass_time, world_of

RECORDING = Path(__file__).parent / "data-plane-4.3.1.jsonl.xz"
RETENTION = Periodic(first_ms=500, interval_ms=300)  # as the recorded broker was configured
UNNAMED = {
    "g1.a": bytes.fromhex("a1a54675f6cc4e0c8f6f8881648ce8c0"),
    "g2.b": bytes.fromhex("0153c473e43148aa86cff80ac11fc9d5"),
}
"""Ids of topics that were created by an old version, and which no response names."""
STATIC = {"log.retention.ms": "-1"}
PRODUCE, FETCH, METADATA, CREATE, DELETE, ALTER, GROW = 0, 1, 3, 19, 20, 44, 37
TO_CONTROLLER = (CREATE, DELETE, ALTER, GROW)
Reply = Callable[[Any], None]
WALL_AT_T0_MS = 1795861622563 - 223000  # of the recorder's clock
NOT_ASKED = {
    "initproducerid-first-block-not-there-yet": "ours waits for the block: docs/differences.toml",
    "produce-null-records": "4.3.1 fails before any answer: docs/differences.toml",
}
RULES = """
    B1.1 B1.2 B1.3 B1.6 B1.7 B1.10 B1.11 B1.20 B1.23 B1.30 B1.32 B1.33 B1.35 B1.36 B1.39 B1.45
    B2.1 B2.2 B2.3 B2.20 B2.23 B2.32 B2.33 B2.34 B2.47 B3.1 B3.3 B3.5 B3.23 B3.50 B3.60 B4.1
    B4.10 B4.13 B4.15 B4.16 B4.19 B4.20 B4.21 B4.24 B4.25 B4.27 B4.34 B5.10 B5.30 B5.33 B5.44
    B6.30 B7.1 B7.5 B7.7 B7.20 B7.30 B7.34 B8.1 B8.10 B8.16
"""
"""The rules that the recorded requests try."""
COMPARED = (0, 1, 2, 21, 22, 23, 61)


@dataclass(frozen=True, slots=True)
class Probe:
    """A recorded request, and the response; None if there was none."""

    name: str
    t_ms: float
    api_key: int
    version: int
    asked: bytes
    told: bytes | None


def probes() -> list[Probe]:
    lines = [json.loads(line) for line in lzma.decompress(RECORDING.read_bytes()).splitlines()]
    told = {
        (line["conn"], line["correlation_id"]): bytes.fromhex(line["hex"])
        for line in lines
        if line["dir"] == "rsp"
    }
    return [
        Probe(
            line["probe"],
            line["t_ms"],
            line["api_key"],
            line["api_version"],
            bytes.fromhex(line["hex"]),
            told.get((line["conn"], line["correlation_id"])),
        )
        for line in lines
        if "probe" in line
    ]


@dataclass
class Stand:
    """Our broker in the place of the recorded one."""

    ids: dict[bytes, bytes] = field(default_factory=dict)  # of topics: recorded -> ours
    sessions: dict[int, int] = field(default_factory=dict)  # recorded -> ours

    def __post_init__(self) -> None:
        self.world = world = world_of(1, profile=KAFKA_4_3)
        agent = world.agents[1].agent
        agent.config = replace(agent.config, static=STATIC)
        self.wall_ms = 0
        entropy = (number / 10**6 for number in range(1, 10**6))
        send = partial(world.send_request, broker_node(1), is_forwarded=True)
        self.messages = Messages(
            world.agents[1],
            "PLAINTEXT",
            FetchWaits(),
            wall_ms=lambda now_ms: self.wall_ms,
            poll_clock=lambda: world.timeline,
            forward=Forwarding(world.timeline, send, lambda: 3000).forward,
            random=lambda: next(entropy),
            retention=RETENTION,
        )
        self.answers: dict[int, Callable[[Any, Reply], None]] = {
            0: self.messages.produce,
            1: self.messages.fetch,
            2: _at_once(self.messages.list_offsets),
            21: _at_once(self.messages.delete_records),
            22: self.messages.init_producer_id,
            23: _at_once(self.messages.ends_of_epochs),
            61: _at_once(self.messages.describe_producers),
        }

    def put(self, probe: Probe) -> bytes | None:
        """The bytes of our response, with the recorded ids."""
        self._set_clock(probe)
        header = read_request_header(probe.asked)
        request: Any = decode_request(header, self._ours(probe.asked))
        if probe.api_key == FETCH:
            known = self.sessions.get(request.session_id, request.session_id)
            request = replace(request, session_id=known)
        if probe.api_key in TO_CONTROLLER:
            reply = ask(self.world, request)
            pass_time(self.world, 0.2)
            self._learn(probe, reply)
            return None
        replies: list[Any] = []
        self.answers[probe.api_key](request, replies.append)
        for _ in range(100):
            if not replies:
                pass_time(self.world, 0.02)
        (reply,) = replies
        if isinstance(reply, ApiError) or (probe.api_key == PRODUCE and not request.acks):
            return None  # the connection ends, or nothing is expected
        response = response_to(request, reply, probe.version)
        told = encode_response(probe.api_key, probe.version, header.correlation_id, response)[4:]
        return self._recorded(probe, told)

    def _set_clock(self, probe: Probe) -> None:
        """As it was at the probe; a stamped batch tells it exactly."""
        now_ms = self.world.timeline.now_us // 1000
        if self.started_ms is None:
            self.started_ms = now_ms - probe.t_ms
        due_us = int((self.started_ms + probe.t_ms) * 1000)
        self.world.timeline.run_until(max(due_us, self.world.timeline.now_us))
        self.wall_ms = WALL_AT_T0_MS + int(probe.t_ms)
        if probe.api_key == PRODUCE and probe.told is not None:
            _, response = decode_response(PRODUCE, probe.version, probe.told)
            for topic in response.responses:
                for partition in topic.partition_responses:
                    if partition.log_append_time_ms > WALL_AT_T0_MS:
                        self.wall_ms = partition.log_append_time_ms

    started_ms: float | None = None

    def _ours(self, data: bytes) -> bytes:
        for recorded, ours in self.ids.items():
            data = data.replace(recorded, ours)
        return data

    def _recorded(self, probe: Probe, data: bytes) -> bytes:
        for recorded, ours in self.ids.items():
            data = data.replace(ours, recorded)
        if probe.api_key != FETCH or probe.version < 7 or probe.told is None:
            return data
        start = 10 if probe.version < 12 else 11
        ours, recorded = (int.from_bytes(of[start : start + 4], "big") for of in (data, probe.told))
        if recorded and ours:
            self.sessions[recorded] = ours
            data = data[:start] + probe.told[start : start + 4] + data[start + 4 :]
        return data

    def _learn(self, probe: Probe, reply: Any) -> None:
        if probe.api_key != CREATE or probe.told is None or isinstance(reply, ApiError):
            return
        _, told = decode_response(CREATE, probe.version, probe.told)
        known = self.world.committed.topic_ids
        for topic in told.topics:
            recorded = topic.topic_id if probe.version >= 7 else self._named.get(topic.name)
            if topic.name in known and recorded is not None:
                self.ids[recorded] = known[topic.name]

    @cached_property
    def _named(self) -> dict[str, bytes]:
        """The ids of topics that some recorded Metadata response names."""
        told = (of for of in probes() if of.api_key == METADATA and of.version >= 10 and of.told)
        return UNNAMED | {
            topic.name: topic.topic_id
            for probe in told
            for topic in decode_response(METADATA, probe.version, probe.told)[1].topics
        }


def _at_once(respond: Callable[[Any], Any]) -> Callable[[Any, Reply], None]:
    return lambda request, reply_to: reply_to(respond(request))


def _canonical(probe: Probe, data: bytes | None) -> object:
    """Partitions of a Produce have no order (B2.34); texts have a time that nothing else tells."""
    if data is None or probe.api_key == FETCH:
        return data
    _, response = decode_response(probe.api_key, probe.version, data)
    document = to_json(APIS[probe.api_key].response, response, probe.version)
    text = json.dumps(_sorted(document))
    return re.sub(r"within \[[^]]*\]", "within the bounds", text)  # to the millisecond


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(item) for key, item in value.items()}
    if isinstance(value, list):
        return sorted(map(_sorted, value), key=repr)
    return value


@pytest.mark.rule(*RULES.split())
def test_each_recorded_answer_is_ours() -> None:
    stand = Stand()
    differing: dict[str, tuple[object, object]] = {}
    for probe in probes():
        if probe.name in NOT_ASKED or probe.api_key not in (*COMPARED, *TO_CONTROLLER):
            continue
        ours = stand.put(probe)
        if probe.api_key in COMPARED:
            expected, got = _canonical(probe, probe.told), _canonical(probe, ours)
            if expected != got:
                differing[f"{probe.name} v{probe.version}"] = (expected, got)

    assert differing == {}
