"""The decorator of requests, responses and records: values compared and hashed by their fields."""

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

Model = TypeVar("Model")


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def value(model: type[Model]) -> type[Model]:
    """Makes `model` a dataclass that the type checker treats as frozen.

    At run time the class is not frozen: a frozen dataclass takes three times as long to create and
    twice as long to define. Fetches take half of a run in virtual time, and more than a hundred
    classes are defined before the service is ready.
    """
    return dataclass(slots=True, kw_only=True, unsafe_hash=True)(model)
