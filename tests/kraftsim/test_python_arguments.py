"""A method of `Cluster` refuses an argument of another type: its name, expected and got."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from kraftsim import Cluster, CommandError

Call = Callable[[Any], Awaitable[object]]

WRONG: list[tuple[Call, str]] = [
    (
        lambda kraft: kraft.brokers.list(limit="2"),
        "limit: expected an int, such as 1, got the str '2'",
    ),
    (lambda kraft: kraft.brokers.list(limit=True), "limit: expected an int, .* got the bool True"),
    (lambda kraft: kraft.brokers.list(from_="1"), "from: expected an int, .* got the str '1'"),
    (lambda kraft: kraft.brokers.list(limit=2.0), "limit: expected an int, .* got the float 2.0"),
    (lambda kraft: kraft.topics.list(from_=1), "from: expected a str, got the int 1"),
    (lambda kraft: kraft.topics.list(limit="2"), "limit: expected an int"),
    (lambda kraft: kraft.events.list(limit=True), "limit: expected an int"),
    (lambda kraft: kraft.log.show(from_="0"), "from: expected an int"),
    (lambda kraft: kraft.requests.list(limit="2"), "limit: expected an int"),
    (lambda kraft: kraft.requests.list(api=5), "api: expected a str, got the int 5"),
    (lambda kraft: kraft.requests.count(where=5), "where: expected a str, got the int 5"),
    (lambda kraft: kraft.topics.describe(["a"]), r"name: expected a str, got the list \['a'\]"),
    (lambda kraft: kraft.explain("1"), "event: expected an int"),
    (lambda kraft: kraft.explain(99_999), "no event 99999: expected a number of an event"),
    (lambda kraft: kraft.brokers.add(rack=5), "rack: expected a str, got the int 5"),
    (lambda kraft: kraft.brokers.add(rack=0), "rack: expected a str, got the int 0"),
    (lambda kraft: kraft.brokers.add(broker_id="7"), "broker_id: expected an int"),
    (lambda kraft: kraft.reset(seed="x"), "seed: expected an int, such as 1, got the str 'x'"),
    (lambda kraft: kraft.wait(1, 5), "state: expected a str, got the int 5"),
    (lambda kraft: kraft.clock.run_until(5), "kind: expected a str, got the int 5"),
    (lambda kraft: kraft.clock.lock(5), "owner: expected a str, got the int 5"),
    (
        lambda kraft: kraft.clock.speed(None),
        "factor: expected a number from 0.001 to 1000, got None",
    ),
    (
        lambda kraft: kraft.clock.speed(True),
        "factor: expected a number from 0.001 to 1000, got True",
    ),
]


@pytest.mark.parametrize(("call", "message"), WRONG, ids=lambda value: str(value)[:24])
async def test_an_argument_of_another_type_is_named(call: Call, message: str) -> None:
    async with Cluster(brokers=1, clock="virtual", seed=1) as kraft:
        before = kraft.world.journal.last_seq

        with pytest.raises(CommandError, match=message):
            await call(kraft)

        assert (kraft.generation, kraft.world.journal.last_seq) == (0, before)


async def test_a_duration_is_a_text_or_a_number_of_seconds() -> None:
    async with Cluster(brokers=1, clock="virtual", seed=1) as kraft:
        start_ms = (await kraft.clock.show())["nowMs"]

        assert (await kraft.clock.advance("1500ms"))["nowMs"] == start_ms + 1500
        assert (await kraft.clock.advance(1.5))["nowMs"] == start_ms + 3000
        with pytest.raises(ValueError, match=r"by: expected a duration .* got -1"):
            await kraft.clock.advance(-1)
