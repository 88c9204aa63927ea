"""What a controller does with a request: its replies, its records, and what it then knows."""

import logging
from typing import Any

import pytest

from kraftsim.controller.core.handlers import response_to
from kraftsim.controller.core.log.records import NoOpRecord
from kraftsim.controller.core.rpc import (
    DescribeQuorumPartition,
    DescribeQuorumRequest,
    DescribeQuorumTopic,
    FetchResponse,
    Request,
    Response,
)
from kraftsim.controller.core.settings import STANDARD_AUTHORIZER
from kraftsim.controller.wire.frames import decode_response, encode_response
from kraftsim.controller.wire.json.json_form import from_json
from kraftsim.service.snapshot_files import SNAPSHOT_FILES
from tests.builders import ControllerUnderTest, directory_of
from tests.differential.history import History
from tests.differential.sequence import Body
from tests.differential.symbols import resolve
from tests.walk.bodies import OTHER, QUORUM_TOPIC, TOPIC, Case
from tests.walk.fields import SCHEMAS
from tests.walk.quorum_cases import SNAPSHOT

AFTERWARDS = "3s"  # longer than any timeout of the requests, shorter than a lease
NEWEST = 32767
FETCH, FETCH_VERSION = 1, 18
_OF_QUORUM = DescribeQuorumRequest(
    topics=(
        DescribeQuorumTopic(
            topic_name=QUORUM_TOPIC, partitions=(DescribeQuorumPartition(partition_index=0),)
        ),
    )
)


class Stage:
    """Three brokers that serve, one that is fenced, and two topics: always the same."""

    def __init__(self, settings: Any) -> None:
        cluster = ControllerUnderTest(
            authorizer_class_name=STANDARD_AUTHORIZER, snapshot_format=SNAPSHOT_FILES, **settings
        )
        for broker_id in (1, 2, 3):
            directories = (directory_of(broker_id), directory_of(broker_id, 1))
            cluster.unfenced(broker_id, rack="abc"[broker_id - 1], log_dirs=directories)
        cluster.registered(4)
        cluster.created(TOPIC, (1, 2, 3), (2, 3, 1))
        cluster.created(OTHER, (2, 3))
        cluster.run_for("1s")
        self.cluster, self._history, self._read = cluster, History(), 0

    def request(self, api: str, body: Body) -> Request:
        """Returns the request; its symbols mean what the log has now."""
        self._history.follow(list(self.cluster.node.log.read(self._read)))
        self._read = self.cluster.end
        request: Request = from_json(
            SCHEMAS[api].request, resolve(self._named(body), self._history)
        )
        return request

    def _named(self, value: Any) -> Any:
        """Puts the newest snapshot into its place."""
        if isinstance(value, dict):
            return {name: self._named(part) for name, part in value.items()}
        if isinstance(value, list):
            return [self._named(part) for part in value]
        if value == SNAPSHOT["endOffset"]:
            snapshot_id = self.cluster.node.quorum.snapshot_id
            assert snapshot_id is not None, "expected a snapshot"
            return snapshot_id.end_offset
        return value


def outcome(case: Case, body: Body, warnings: "Warnings") -> object:
    """Returns the replies with their times, records, messages, warnings and what the quorum has."""
    stage = Stage(case.settings)
    cluster = stage.cluster
    for ask in case.before:
        cluster.ask(stage.request(ask.api, ask.body))
    request = stage.request(case.api, body)
    mark, began_us = cluster.end, cluster.timeline.now_us
    warnings.clear()
    replies: list[object] = []

    def on_reply(reply: Any) -> None:
        response = _received(response_to(request, reply, NEWEST))
        replies.append((cluster.timeline.now_us - began_us, response))

    sent: list[object] = []
    cluster.hosted.step_listeners.append(lambda node, turn: sent.extend(turn.sends))
    cluster.hosted.submit(request, on_reply)
    cluster.run_for("0ms")
    replies += [cluster.ask(stage.request(ask.api, ask.body)) for ask in case.after]
    quorum = cluster.node.read(_OF_QUORUM, cluster.timeline.now_ms, 0)
    cluster.run_for(AFTERWARDS)
    records = [
        record
        for batch in cluster.node.log.read(mark)
        for record in batch.records
        if not isinstance(record, NoOpRecord)
    ]
    return repr((replies, records, sent, warnings.texts, quorum))


def _received(response: Response) -> Response:
    """Returns a response as its client reads it: a Fetch is bounded when it is encoded."""
    if not isinstance(response, FetchResponse):
        return response
    frame = encode_response(FETCH, FETCH_VERSION, 0, response)
    return decode_response(FETCH, FETCH_VERSION, frame[4:])[1]


class Warnings:
    """The warnings of the log since the last request."""

    def __init__(self, caplog: pytest.LogCaptureFixture) -> None:
        self._caplog = caplog

    def clear(self) -> None:
        self._caplog.clear()

    @property
    def texts(self) -> list[str]:
        return [
            record.getMessage()
            for record in self._caplog.records
            if record.levelno >= logging.WARNING
        ]
