"""In a simulated loop every clock is that of the loop, and chance is of the seed."""

import asyncio
import datetime
import logging
import os
import random
import secrets
import socket
import sys
import time
import uuid
from collections.abc import Iterator, Sequence
from time import monotonic as bound_monotonic
from typing import Any

import pytest

from kraftsim.simulated_loop import BlockingCallRefused, NotSimulated, run

START = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)


def stamped(clock=time.time) -> float:
    return clock()


async def an_hour_later() -> list[object]:
    await asyncio.sleep(3600)
    return [
        time.monotonic(),
        bound_monotonic(),
        time.time() - START.timestamp(),
        stamped() - START.timestamp(),
        time.perf_counter_ns() // 10**9,
        datetime.datetime.now(datetime.UTC) - START,
        datetime.datetime.utcnow() - START.replace(tzinfo=None),
        time.gmtime().tm_hour,
    ]


def test_every_clock_is_that_of_the_loop() -> None:
    hour = datetime.timedelta(hours=1)
    assert run(an_hour_later) == [3600, 3600, 3600, 3600, 3600, hour, hour, 1]


async def drawn() -> list[object]:
    await asyncio.sleep(0)
    brokers = {("broker", str(number)) for number in range(20)}
    return [
        random.random(),
        random.choice(list(brokers)),
        random.Random().random(),
        random.SystemRandom().random(),
        os.urandom(4),
        secrets.token_hex(4),
        uuid.uuid4(),
        uuid.uuid1().time,
    ]


def test_chance_is_of_the_seed() -> None:
    first, again, other = run(drawn, seed=1), run(drawn, seed=1), run(drawn, seed=2)

    assert first == again
    assert not any(drawn == of_other for drawn, of_other in zip(first[:7], other[:7], strict=True))


def test_a_choice_from_what_was_a_set_does_not_depend_on_its_order() -> None:
    async def main() -> tuple[str, str]:
        names = [str(number) for number in range(50)]
        random.seed(1)
        chosen = random.choice(names)
        random.seed(1)
        return chosen, random.choice(names[::-1])

    chosen, of_the_reverse = run(main)
    assert chosen == of_the_reverse


def test_nothing_is_replaced_outside_of_the_loop() -> None:
    real, state = (time.time, time.sleep, os.urandom, datetime.datetime), random.getstate()

    run(drawn)

    assert (time.time, time.sleep, os.urandom, datetime.datetime) == real
    assert stamped.__defaults__ == (time.time,)
    assert random.getstate() == state


def test_an_instant_of_the_loop_is_an_instant_of_the_real_class() -> None:
    async def main() -> bool:
        now = datetime.datetime.now()
        return isinstance(now, datetime.datetime) and isinstance(now, type(START))

    assert run(main)


def test_a_line_that_asks_the_real_clock_is_named(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        for _ in range(2):
            time.time()

    with caplog.at_level(logging.WARNING, "kraftsim"):
        run(main, patch=False)

    (record,) = caplog.records
    assert "test_real_clocks.py" in record.message
    assert "asked time.time 2 times: pass patch=True" in record.message


async def connects_by_blocking() -> None:
    refusal = "a blocking connection to 127.0.0.1:9092 would leave the simulated network"
    with socket.socket() as sock, pytest.raises(BlockingCallRefused, match=refusal):
        sock.connect(("127.0.0.1", 9092))


async def starts_a_subprocess() -> None:
    with pytest.raises(NotSimulated, match="a subprocess is not simulated: run it outside"):
        await asyncio.create_subprocess_exec("true")


async def opens_udp() -> None:
    with pytest.raises(NotSimulated, match="UDP is not simulated, only TCP is: run it outside"):
        await asyncio.get_running_loop().create_datagram_endpoint(asyncio.DatagramProtocol)


async def adds_a_reader() -> None:
    with pytest.raises(NotSimulated, match="it waits for the real system"):
        asyncio.get_running_loop().add_reader(0, print)


@pytest.mark.parametrize(
    "main", [connects_by_blocking, starts_a_subprocess, opens_udp, adds_a_reader]
)
def test_what_only_the_real_system_has_is_refused(main) -> None:
    run(main)


def test_a_coroutine_is_no_function() -> None:
    coroutine = drawn()
    with pytest.raises(TypeError, match="expected a function that returns a coroutine"):
        run(coroutine)  # type: ignore[arg-type]
    coroutine.close()


class Server:
    """Something whose text is its address."""

    def __init__(self, number: int) -> None:
        self.number = number


def test_a_draw_from_objects_repeats_though_their_addresses_do_not() -> None:
    async def main() -> list[int]:
        servers = [Server(number) for number in range(50)]
        random.shuffle(at_addresses := [servers[number] for number in range(50)])
        drawn = [*at_addresses, random.choice(servers), *random.sample(servers, 3)]
        return [server.number for server in drawn]

    first = run(main)
    elsewhere = [Server(number) for number in range(20)]  # at the addresses of the first run

    assert run(main) == first
    assert len(elsewhere) == 20


def test_counts_of_a_sample_stay_with_what_they_count() -> None:
    async def main() -> list[str]:
        return random.sample(["b", "a"], k=3, counts=[3, 0])

    assert run(main) == ["b", "b", "b"]


class Numbers(Sequence[int]):
    """A long sequence, which is too long to be listed."""

    def __len__(self) -> int:
        return 10**15

    def __getitem__(self, at: Any) -> Any:
        return at

    def __iter__(self) -> Iterator[int]:
        raise AssertionError("it is listed")


def test_a_draw_from_a_long_sequence_does_not_list_it() -> None:
    async def main() -> list[int]:
        return random.sample(Numbers(), 2)

    assert run(main) == run(main)


def test_a_generator_that_is_seeded_anew_repeats() -> None:
    async def main() -> list[float]:
        random.seed()
        return [random.random(), random.Random().random()]

    assert run(main, seed=1) == run(main, seed=1) != run(main, seed=2)


def test_what_is_no_module_stays_among_the_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "blocked", None)  # so that its import fails

    run(lambda: asyncio.sleep(1))
