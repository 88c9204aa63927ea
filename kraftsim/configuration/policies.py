"""Loads the functions that stand for Kafka's policies of topics and configurations."""

import logging
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TypeVar

from kraftsim.controller.core.errors import ApiError, ErrorCode, PolicyFailure
from kraftsim.controller.core.policies import Policies

CREATE_TOPIC, ALTER_CONFIG = "create.topic.policy.class.name", "alter.config.policy.class.name"
POLICIES = (CREATE_TOPIC, ALTER_CONFIG)
_FORM = "expected MODULE:FUNCTION, a function of Python"

log = logging.getLogger("kraftsim")
Question = TypeVar("Question")
Policy = Callable[[Question], str | None]


def policies_of(names: Mapping[str, str]) -> Policies:
    """Returns the policies that the configurations name; raises ValueError if one is not found."""
    if not names:
        return Policies()
    return Policies(
        new_topic=_guarded(CREATE_TOPIC, names) if CREATE_TOPIC in names else None,
        altered_configs=_guarded(ALTER_CONFIG, names) if ALTER_CONFIG in names else None,
        names=tuple(sorted(names.items())),
    )


def _guarded(key: str, names: Mapping[str, str]) -> Policy[object]:
    """Returns the policy; a call that raises or returns no text is UNKNOWN_SERVER_ERROR."""
    function = _loaded(key, names[key])

    def policy(question: object) -> str | None:
        try:
            refusal = function(question)
            if refusal is None or isinstance(refusal, str):
                return refusal
            raise TypeError(f"expected a text or None, got {refusal!r}")
        except Exception:  # a function of the user may raise anything: it refuses, as in Kafka
            log.exception("%s: %s failed", key, names[key])
            if key == CREATE_TOPIC:
                raise PolicyFailure from None
            raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, "") from None

    return policy


def _loaded(key: str, text: str) -> Callable[[object], object]:
    module_name, colon, function_name = text.partition(":")
    if not colon or not module_name or not function_name:
        raise ValueError(f"{key}: {_FORM}, got {text!r}")
    try:
        function: Callable[[object], object] = getattr(import_module(module_name), function_name)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"{key}: {_FORM}, got {text!r}: {error}") from None
    if not callable(function):
        raise ValueError(f"{key}: {_FORM}, got {text!r}, which is no function")
    return function
