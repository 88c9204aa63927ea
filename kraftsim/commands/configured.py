"""The configurations of a command: those of `--config`, changed by those of `--set`."""

import argparse
import logging
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from kraftsim.configuration.configuration import (
    Configuration,
    Pairs,
    configuration_of,
    expect_plaintext,
    names_of,
    releases_with,
)
from kraftsim.configuration.quorum import VOTERS
from kraftsim.controller.core.profile import Profile
from kraftsim.scenarios.language.suggestions import near_words, nearest

from ..chosen_settings import CONFIGURATIONS
from ..errors import UsageError
from ..files.properties import read_properties

log = logging.getLogger("kraftsim")


def pairs_of(arguments: argparse.Namespace, profile: Profile) -> dict[str, object]:
    """Returns the configurations of --config and --set that the profile knows.

    Logs the names in the file that Kafka does not know either. Raises UsageError for a file that
    cannot be read, an invalid value, a listener with TLS or SASL, or an unknown name in --set.
    """
    pairs = _of_file(arguments.config, profile) if arguments.config is not None else {}
    changes = dict(_pair(text) for text in arguments.set)
    if not changes:
        return pairs
    with _naming("--set"):
        for unknown in _alone(profile, changes).unknown:
            expected = nearest(unknown, names_of(profile), CONFIGURATIONS)
            releases = releases_with(unknown)
            of = "" if releases is None else f", a configuration of Kafka {releases}"
            raise ValueError(f"expected {expected}, got {unknown!r}{of}")
        changed = {**pairs, **changes}
        expect_plaintext(configuration_of(profile, changed))
    return changed


def configured(pairs: Pairs, profile: Profile, role: str) -> Configuration:
    """Returns the meaning of the pairs, and logs which have no effect on a node of this role."""
    configuration = configuration_of(profile, pairs)
    if configuration.without_effect:
        from kraftsim.configuration.effects import sentences  # reads tables

        for sentence in sentences(configuration, (role,)):
            log.warning("%s", sentence)
    return configuration


def expect_id(configuration: Configuration, node_id: int) -> None:
    """Raises ValueError if the configuration is that of another node (rule 7.6)."""
    if configuration.node_id not in (None, node_id):
        raise ValueError(
            f"--config: node.id: expected {node_id} of --node-id, got {configuration.node_id}"
        )


def expect_no_voter(configuration: Configuration, broker_ids: Container[int]) -> None:
    """Raises ValueError if one of these brokers is a voter (rule 7.6)."""
    for voter_id in configuration.voters:
        if voter_id in broker_ids:
            expected = "expected ids that no broker has"
            raise ValueError(f"--config: {VOTERS}: {expected}, got {voter_id}")


def _of_file(path: str, profile: Profile) -> dict[str, object]:
    with _naming("--config"):
        try:
            pairs: dict[str, object] = dict(read_properties(Path(path)))
        except OSError as error:
            raise ValueError(f"{path}: {error.strerror}") from None
        try:
            configuration = configuration_of(profile, pairs)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None
    unknown = configuration.unknown
    if unknown:
        log.warning(
            "%s: Kafka ignores unknown names, and so does kraftsim: %s",
            path,
            ", ".join(_with_suggestions(unknown, profile)),
        )
    with _naming("--config"):
        expect_plaintext(configuration)
    return {name: text for name, text in pairs.items() if name not in unknown}


def _with_suggestions(unknown: Sequence[str], profile: Profile) -> Iterator[str]:
    known = names_of(profile)
    for name in unknown:
        if (releases := releases_with(name)) is not None:
            yield f"{name} (of Kafka {releases})"
            continue
        near = near_words(name, known)
        yield f"{name} (did you mean {near[0]}?)" if near else name


def _alone(profile: Profile, changes: Pairs) -> Configuration:
    """Returns the meaning of changes that need not describe a whole node."""
    return configuration_of(
        profile, {name: text for name, text in changes.items() if name != "process.roles"}
    )


def _pair(text: str) -> tuple[str, str]:
    key, separator, value = text.partition("=")
    if not separator or not key.strip():
        raise UsageError(f"--set: expected KEY=VALUE, got {text!r}")
    return key.strip(), value


@contextmanager
def _naming(option: str) -> Iterator[None]:
    """Raises a ValueError again as UsageError with the option's name."""
    try:
        yield
    except ValueError as error:
        raise UsageError(f"{option}: {error}") from None
