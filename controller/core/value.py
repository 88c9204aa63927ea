"""What a request, a response or a record is: a value, compared and hashed by its fields."""

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

Model = TypeVar("Model")


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def value(model: type[Model]) -> type[Model]:
    """A frozen dataclass to the type checker, which refuses to set a field; at run time nobody
    does. A class that is frozen for real takes three times as long to make an object of, and twice
    as long to define: virtual time is half fetches, and there are more than a hundred classes to
    define before the service answers."""
    return dataclass(slots=True, kw_only=True, unsafe_hash=True)(model)
