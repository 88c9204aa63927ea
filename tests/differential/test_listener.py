"""Sequences for the listener of a broker: drawn from a seed, encoded, read back, compared."""

from pathlib import Path
from typing import cast

import pytest

from kraftsim.controller.core.rpc import Request
from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.frames import encode_request
from kraftsim.controller.wire.json.json_form import from_json
from tests.differential.arguments import parse
from tests.differential.files import read, write
from tests.differential.listener import canonical
from tests.differential.listener.batches import decoded, decompressed, encoded
from tests.differential.listener.generate import draw_listener_sequence
from tests.differential.listener.sides import KEYS
from tests.differential.listener.stand import Stand
from tests.differential.sequence import Ask

DRAWN = 40
BEGAN_MS = 1_700_000_000_000


def asks(number: int) -> list[Ask]:
    steps = draw_listener_sequence(1, number).every_step
    return [step for step in steps if isinstance(step, Ask)]


def test_a_seed_draws_the_same_sequence_again() -> None:
    assert draw_listener_sequence(3, 7) == draw_listener_sequence(3, 7)
    assert draw_listener_sequence(3, 7) != draw_listener_sequence(4, 7)


def test_every_drawn_request_can_be_sent_and_every_kind_is_drawn() -> None:
    drawn = [ask for number in range(DRAWN) for ask in asks(number)]
    for ask in drawn:
        key = KEYS[ask.api]
        request = cast(Request, from_json(APIS[key].request, Stand().resolve(ask.body)))
        assert encode_request(key, ask.version, 1, "judge", request)

    assert {"Produce", "Fetch", "ListOffsets", "DeleteRecords"} < {ask.api for ask in drawn}
    assert {ask.version for ask in drawn if ask.api == "Produce"} == set(range(3, 14))
    assert {ask.version for ask in drawn if ask.api == "Fetch"} == set(range(4, 19))


def test_a_sequence_is_read_as_it_was_written(tmp_path: Path) -> None:
    sequence = draw_listener_sequence(1, 5)
    write(sequence, tmp_path / "sequence.json", release="4.3.1")

    assert read(tmp_path / "sequence.json") == sequence


@pytest.mark.parametrize("codec", range(5))
def test_a_batch_is_decoded_to_what_was_encoded(codec: int) -> None:
    described = {"values": [20, None], "keys": [1, 2], "at": 5, "producer": [7, 1, 3]}
    (plain,) = decoded(encoded([described]))
    sent = encoded([{**described, "codec": codec}, {"values": [1]}])

    batch, torn = decoded(sent[:-1])

    assert decompressed(batch) == plain["payload"]
    assert (batch["producerId"], batch["baseSequence"], batch["recordCount"]) == (7, 3, 2)
    assert batch["isWhole"]
    assert torn == {"torn": len(encoded([{"values": [1]}])) - 1}


def test_only_times_of_appending_and_what_is_drawn_by_chance_are_masked() -> None:
    def spelled(session: int, append_ms: int, port: int, error: int) -> object:
        stand = Stand(began_ms=BEGAN_MS)
        reply = {"sessionId": session, "port": port, "errorCode": error}
        times = {"logAppendTimeMs": append_ms, "timestamp": BEGAN_MS - 60_000}
        return canonical.reply(1, reply | times, stand, converts=False)

    one = spelled(77, BEGAN_MS + 4, 9092, 0)

    assert spelled(12, BEGAN_MS + 90, 9093, 0) == one
    assert spelled(0, BEGAN_MS + 4, 9092, 0) != one
    assert spelled(77, BEGAN_MS - 60_000, 9092, 0) != one
    assert spelled(77, BEGAN_MS + 4, 9092, 1) != one


def test_of_a_throttled_client_only_that_it_is_throttled_is_compared() -> None:
    def spelled(throttle_ms: int) -> object:
        return canonical.reply(1, {"throttleTimeMs": throttle_ms}, Stand(), converts=False)

    assert spelled(900) == spelled(7) != spelled(0)


def test_the_broker_that_is_asked_leads_where_another_follows() -> None:
    drawn = [draw_listener_sequence(1, number) for number in range(8 * DRAWN)]
    followed = [sequence for sequence in drawn if sequence.start.has_follower]
    asked = [ask for sequence in followed for ask in sequence.steps if isinstance(ask, Ask)]
    created = [ask.body["topics"] for ask in asked if ask.api == "CreateTopics"]

    placed = [of["brokerIds"] for topics in created for of in topics[0]["assignments"]]
    assert len(followed) == DRAWN
    assert {tuple(replicas) for replicas in placed} == {(1,), (1, 2)}
    acks = {ask.body["acks"] for ask in asked if ask.api == "Produce"}
    assert not acks & {0, 1}  # a follower of Kafka lags


@pytest.mark.parametrize(("magic", "size"), [(0, 26 + 5), (1, 34 + 5)])
def test_an_old_message_is_encoded(magic: int, size: int) -> None:
    message = encoded([{"values": [5], "old": magic, "at": 7}])

    assert (len(message), message[16]) == (size, magic)


def test_the_listener_of_a_broker_is_asked_a_thousand_sequences() -> None:
    assert parse(["--listener", "broker"]).sequences == 1_000
    assert parse([]).sequences == 10_000
    assert parse(["--only", "listener-1-9999"]).only == ("listener-1-9999",)
