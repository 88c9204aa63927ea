"""The scopes and sources of configurations, and checks of the words that name a resource."""

from collections.abc import Mapping, Sequence
from typing import Final

from kraftsim.controller.core.configs.resources import RESOURCES

from ...errors import UsageError
from ..argument_checks import expect_one_of, expect_text
from .checks import Config, texts_of

SCOPES: Final = ("all", "set")
SOURCES: Final = {
    1: "DYNAMIC_TOPIC_CONFIG",
    2: "DYNAMIC_BROKER_CONFIG",
    3: "DYNAMIC_DEFAULT_BROKER_CONFIG",
    4: "STATIC_BROKER_CONFIG",
    5: "DEFAULT_CONFIG",
    6: "DYNAMIC_BROKER_LOGGER_CONFIG",
    7: "DYNAMIC_CLIENT_METRICS_CONFIG",
    8: "DYNAMIC_GROUP_CONFIG",
}
"""Kafka's names of the sources of a value, as kafka-configs prints them."""


def check_resource(resource: str, name: str) -> None:
    """Raises UsageError for an unknown kind of resource, or a name that is no text or empty."""
    expect_one_of("resource", resource, RESOURCES)
    expect_text("name", name)
    if not name:
        raise UsageError(f"name: expected the name of a {resource}, got an empty one")


def check_described(
    resource: str, name: str, key: str | None = None, scope: str | None = None
) -> None:
    """Raises UsageError for an unknown kind of resource or scope, or a key that is no text."""
    check_resource(resource, name)
    if key is not None:
        expect_text("key", key)
    if scope is not None:
        expect_one_of("scope", scope, SCOPES)


def check_changes(
    resource: str,
    name: str,
    values: Mapping[str, Config] | None = None,
    delete: Sequence[str] = (),
    append: Mapping[str, Config] | None = None,
    subtract: Mapping[str, Config] | None = None,
) -> None:
    """Raises UsageError unless there is a change, and each key is changed once.

    A controller of Kafka applies only the last of several operations on one key.
    """
    check_resource(resource, name)
    changed = [
        *texts_of("values", values),
        *texts_of("append", append),
        *texts_of("subtract", subtract),
    ]
    if isinstance(delete, str | bytes) or not isinstance(delete, Sequence):
        raise UsageError(f"delete: expected keys, such as ['retention.ms'], got {delete!r}")
    for key in delete:
        expect_text("delete", key)
    if not changed and not delete:
        raise UsageError(
            "expected a value to set (KEY=VALUE), a key to delete, or elements to append to or "
            "subtract from a list, got none"
        )
    keys = [*changed, *delete]
    if twice := sorted({key for key in keys if keys.count(key) > 1}):
        raise UsageError(f"expected each key once, got {', '.join(twice)} twice")
