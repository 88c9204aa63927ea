"""Dates of a simulated loop are dates as any others."""

import asyncio
import copy
import datetime
import pickle

from kraftsim.simulated_loop import run


def test_a_date_of_the_loop_can_be_pickled_and_copied() -> None:
    async def main() -> list[tuple[object, object, object]]:
        values = datetime.datetime.now(datetime.UTC), datetime.date.today()
        return [(of, pickle.loads(pickle.dumps(of)), copy.deepcopy(of)) for of in values]

    for value, loaded, copied in run(main):
        assert value == loaded == copied
        assert type(value) is type(loaded) is type(copied)


def test_a_date_that_was_pickled_in_a_loop_is_loaded_outside() -> None:
    async def main() -> bytes:
        return pickle.dumps(datetime.datetime(2026, 1, 1))

    assert pickle.loads(run(main)) == datetime.datetime(2026, 1, 1)


def test_a_subclass_has_instances_of_its_own_in_the_time_of_the_loop() -> None:
    async def main() -> None:
        class Deadline(datetime.datetime):
            pass

        await asyncio.sleep(3600)
        assert type(Deadline(2026, 1, 1)) is Deadline
        assert type(Deadline.now()) is Deadline
        assert Deadline.now() == datetime.datetime.now()
        assert not isinstance(datetime.datetime.now(), Deadline)
        assert isinstance(Deadline.now(), datetime.datetime)
        assert issubclass(Deadline, datetime.date)

    run(main)
