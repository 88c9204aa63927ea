"""The classes that `datetime.datetime` and `datetime.date` are in a simulated loop.

They make instances of the real classes, so that values of both are the same, pickled too.
"""

import copyreg
import datetime
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Any


class _SameInstances(type):
    """The type of a class whose instances are those of `real`; a subclass has its own."""

    real: type

    @property
    def _replaced(cls) -> type | None:
        """The class that this one replaces; None for a subclass of a user."""
        return cls.real if "real" in vars(cls) else None

    def __instancecheck__(cls, instance: object) -> bool:
        of = cls._replaced
        return super().__instancecheck__(instance) if of is None else isinstance(instance, of)

    def __subclasscheck__(cls, subclass: type) -> bool:
        of = cls._replaced
        return super().__subclasscheck__(subclass) if of is None else issubclass(subclass, of)

    def __call__(cls, *args: Any, **options: Any) -> Any:
        of = cls._replaced
        return super().__call__(*args, **options) if of is None else of(*args, **options)


def simulated_dates(now_s: Callable[[], float | None]) -> dict[type, type]:
    """Returns the replacements of `datetime.datetime` and `datetime.date`.

    `now_s` returns the wall clock in seconds since the epoch, None where the real one is asked.
    """
    return {
        datetime.datetime: _named(_datetime(datetime.datetime, now_s), datetime.datetime),
        datetime.date: _named(_date(datetime.date, now_s), datetime.date),
    }


@contextmanager
def pickled(dates: Mapping[type, type]) -> Generator[None]:
    """Context manager: values of the replaced classes are pickled with the replacing ones.

    Both have one name, and pickle refuses a class that its name does not lead to.
    """

    def reduced(value: Any) -> tuple[Any, ...]:
        of, *rest = value.__reduce_ex__(2)
        return (dates[of], *rest)

    before = dict(copyreg.dispatch_table)
    try:
        for real in dates:
            copyreg.pickle(real, reduced)
        yield
    finally:
        for real in dates:
            copyreg.dispatch_table.pop(real)
        copyreg.dispatch_table.update(before)


def _named(simulated: type, real: type) -> type:
    simulated.__module__, simulated.__name__ = real.__module__, real.__name__
    simulated.__qualname__ = real.__qualname__
    return simulated


def _datetime(of: type[datetime.datetime], now_s: Callable[[], float | None]) -> type:
    # The base is an argument, which mypy does not follow.
    class SimulatedDatetime(of, metaclass=_SameInstances):  # type: ignore[misc,valid-type]
        real = of

        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> Any:
            at_s = now_s()
            return super().now(tz) if at_s is None else cls.fromtimestamp(at_s, tz)

        @classmethod
        def utcnow(cls) -> Any:
            return cls.now(datetime.UTC).replace(tzinfo=None)

        @classmethod
        def today(cls) -> Any:
            return cls.now()

    return SimulatedDatetime


def _date(of: type[datetime.date], now_s: Callable[[], float | None]) -> type:
    # The base is an argument, which mypy does not follow.
    class SimulatedDate(of, metaclass=_SameInstances):  # type: ignore[misc,valid-type]
        real = of

        @classmethod
        def today(cls) -> Any:
            at_s = now_s()
            return super().today() if at_s is None else cls.fromtimestamp(at_s)

    return SimulatedDate
