"""The log directories of a simulated broker: their ids and paths, and which are cordoned."""

from collections.abc import Sequence

from kraftsim.controller.core.configs.guards import CORDONED_LOG_DIRS
from kraftsim.controller.core.configs.validators import LIST
from kraftsim.controller.core.uuid import Uuid, uuid_text
from kraftsim.controller.core.value import value

EVERY = "*"


@value
class LogDirectory:
    """A log directory: the id in its meta.properties, and its path."""

    directory_id: Uuid
    path: str


def simulated_directory(directory_id: Uuid) -> LogDirectory:
    """Returns a directory of a broker that has no disk; the path contains the id."""
    return LogDirectory(directory_id=directory_id, path=f"/kraftsim/{uuid_text(directory_id)}")


def in_order(directories: Sequence[LogDirectory]) -> tuple[Uuid, ...]:
    """Returns the ids in the order in which a broker registers them (rule 1.51).

    Java compares both halves of a UUID as signed numbers.
    """
    return tuple(sorted((directory.directory_id for directory in directories), key=_signed_halves))


def _signed_halves(uuid: Uuid) -> tuple[int, int]:
    return int.from_bytes(uuid[:8], signed=True), int.from_bytes(uuid[8:], signed=True)


def cordoned(directories: Sequence[LogDirectory], text: str) -> tuple[Uuid, ...]:
    """Returns the ids of the directories that take no new replicas.

    A path of no directory has no effect; a broker refuses it when a client sets it.
    """
    paths = LIST(CORDONED_LOG_DIRS, text)
    return tuple(
        directory.directory_id
        for directory in directories
        if EVERY in paths or directory.path in paths
    )
