"""The parts of a log that `log export` fetches, and the files that it makes of them."""

from base64 import b64decode
from struct import unpack

import pytest

from kraftsim import Cluster
from kraftsim.api.views import log_parts
from kraftsim.broker_agent.log.batch import header_of
from kraftsim.broker_agent.log.files import epoch_checkpoint, segment_files
from kraftsim.broker_agent.log.reading import split
from kraftsim.broker_agent.messages.lines import batches_of, line_of
from kraftsim.controller.core.errors import ApiError
from kraftsim.errors import UnknownBroker, UnknownTopic, UsageError


async def test_the_parts_of_a_log_are_its_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_parts, "BYTES_MAX", 30_000)
    async with Cluster(brokers=3, clock="auto", seed=1) as kraft:
        await kraft.topics.create("t", assignments=[[1, 2]])
        for number in range(5):
            await kraft.topics.write("t", [str(number) * 12_000])
        await kraft.brokers.stop(1)
        await kraft.topics.write("t", ["last"])

        parts = [await kraft.log.export("t", 0)]
        while (following := parts[-1]["next"]) is not None:
            parts.append(await kraft.log.export("t", 0, following))
        of_broker = await kraft.log.export("t", 0, broker=2)

        stored = [batch for part in parts for batch in split(b64decode(part["batches"]))]
        assert [header_of(batch).base_offset for batch in stored] == [0, 1, 2, 3, 4, 5]
        assert [part["next"] for part in parts] == [2, 4, None]
        assert (of_broker["broker"], of_broker["logEndOffset"]) == (2, 6)
        assert of_broker["leaderEpochs"][0]["startOffset"] == 0
        assert of_broker["leaderEpochs"][-1]["startOffset"] == 5
        with pytest.raises(UnknownBroker, match="no broker 3: expected one of 1, 2"):
            await kraft.log.export("t", 0, broker=3)
        with pytest.raises(ApiError, match="partition 1: expected 0 to 0"):
            await kraft.log.export("t", 1)
        with pytest.raises(UnknownTopic):
            await kraft.log.export("u", 0)
        with pytest.raises(UsageError, match="from: expected 0 or above"):
            await kraft.log.export("t", 0, -1)


def test_an_index_has_an_entry_behind_each_4096_bytes() -> None:
    lines = [line_of("a" * 2_000, None) for _ in range(9)]
    batches = [next(batches_of([line], time)) for time, line in enumerate(lines)]
    placed = [number.to_bytes(8, "big") + batch[8:] for number, batch in enumerate(batches, 7)]

    files = segment_files(7, placed)

    size = len(placed[0])
    index, times = files[f"{7:020}.index"], files[f"{7:020}.timeindex"]
    assert files[f"{7:020}.log"] == b"".join(placed)
    assert unpack(">8i", index) == (2, 2 * size, 4, 4 * size, 6, 6 * size, 8, 8 * size)
    assert unpack(">qi", times[-12:]) == (8, 8)


def test_the_checkpoint_of_epochs_is_kafkas() -> None:
    assert epoch_checkpoint([(0, 0), (3, 17)]) == b"0\n2\n0 0\n3 17\n"
