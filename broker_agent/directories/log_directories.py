"""The log directories of a simulated broker: their ids and paths, and which are cordoned."""

from collections.abc import Sequence

from kraftsim.controller.core.configs.guards import CORDONED_LOG_DIRS
from kraftsim.controller.core.configs.validators import LIST
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.log.records import BROKER_RESOURCE
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


class Cordons:
    """The directories of a broker that take no new replicas (KIP-1066).

    `directories` has their ids. The broker's dynamic value of `cordoned.log.dirs` stands above the
    static one; Kafka ignores a value of the whole cluster. A path of no directory has no effect; a
    broker refuses it when a client sets it.
    """

    def __init__(self, broker_id: int, directories: Sequence[LogDirectory], static: str) -> None:
        self._key, self._static, self._text = (BROKER_RESOURCE, str(broker_id)), static, static
        self.begin(directories)

    def begin(self, directories: Sequence[LogDirectory]) -> None:
        """A process starts with the directories that have not failed."""
        self._online = directories
        self.directories = self._named()

    def observe(self, image: Image) -> bool:
        """Returns True if the metadata cordons other directories than before."""
        own = image.configs.get(self._key)
        text = self._static if own is None else own.get(CORDONED_LOG_DIRS, self._static)
        if text == self._text:
            return False
        self._text, before = text, self.directories
        self.directories = self._named()
        return self.directories != before

    def _named(self) -> tuple[Uuid, ...]:
        paths = LIST(CORDONED_LOG_DIRS, self._text)
        return tuple(
            directory.directory_id
            for directory in self._online
            if EVERY in paths or directory.path in paths
        )
