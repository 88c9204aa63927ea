"""Requests that need stored messages, groups or transactions, which kraftsim does not have.

Their classes are made from a text with their schemas (`controller/wire/messages`), because only
two things are done with them: a broker's listener refuses them, or answers that there is nothing.
"""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from ..errors import ApiError, ErrorCode
from ..message import Request, Response, Structure

DIRS = "dirs"  # of AlterReplicaLogDirs, whose response lists the topics of all of them
SOURCES: Mapping[str, tuple[str, ...]] = {
    "responses": ("topic_data", "topics"),
    "partition_responses": ("partition_data",),
    "partitions": ("partitions", "partition_indexes"),
    "results_by_partition": ("partitions",),
    "topic_results": ("topics",),
    "results_by_transaction": ("transactions",),
    "results_by_topic_v3_and_below": ("v3_and_below_topics",),
    "transaction_states": ("transactional_ids",),
    "coordinators": ("coordinator_keys",),
    "groups": ("groups", "group_ids"),
    "results": ("groups_names", "topics", DIRS, "creations"),
    "filter_results": ("filters",),
    "topic_name": ("topic_name", "name"),
    "auth_bytes": (),  # a secret of the client, which no response repeats
}
"""Fields of responses, and the names under which requests have what belongs there."""
_ERRORS = ("error_code", "partition_error_code")


class DataPlaneResponse(Response):
    """A response of one of these APIs; without arguments it says that there is nothing."""

    __slots__ = ()


class DataPlaneRequest(Request):
    """A request of one of these APIs."""

    __slots__ = ()

    @property
    def response(self) -> type[DataPlaneResponse]:
        """The class of its responses."""
        name = type(self).__name__.removesuffix("Request") + "Response"
        found: type[DataPlaneResponse] = getattr(sys.modules[type(self).__module__], name)
        return found

    @property
    def is_one_way(self) -> bool:
        """True for a Produce request with acks=0, whose client expects no response."""
        return getattr(self, "acks", None) == 0

    def refused(self, error: ApiError) -> DataPlaneResponse:
        """Returns the response that has the error for each element of the request.

        An element is a partition of a topic, a group, a transaction or a member.
        """
        refused: DataPlaneResponse = refused_as(self.response, self, error)
        return refused


def refused_as(model: type[Structure], source: object, error: ApiError) -> Any:
    """Returns an object of `model` with the error, and with the fields that `source` has too."""
    if isinstance(source, str | int):
        name = next(field.name for field in fields(model) if not field.name.startswith("error_"))
        return model(**{name: source} | _errors(model, error))
    values = _errors(model, error)
    for field in fields(model):
        element = model.ELEMENTS.get(field.name)
        found = list(_found(source, field.name)) if field.name not in values else []
        if found and element is not None:
            values[field.name] = tuple(refused_as(element, item, error) for item in found[0] or ())
        elif found:
            values[field.name] = found[0]
    return model(**values)


def _errors(model: type[Structure], error: ApiError) -> dict[str, Any]:
    codes: dict[str, ErrorCode | str] = {name: error.code for name in _ERRORS}
    names = {field.name for field in fields(model)}
    return {
        name: value
        for name, value in (codes | {"error_message": error.message}).items()
        if name in names
    }


def _found(source: object, name: str) -> Iterator[Any]:
    """Yields what `source` has for the field `name` of a response."""
    for candidate in SOURCES.get(name, (name,)):
        if hasattr(source, candidate):
            found = getattr(source, candidate)
            yield (
                [topic for folder in found for topic in folder.topics]
                if candidate == DIRS
                else found
            )
