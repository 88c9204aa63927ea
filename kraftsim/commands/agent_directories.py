"""The log directories of the brokers of `kraftsim agent`."""

from collections.abc import Callable

from kraftsim.broker_agent.directories.log_directories import LogDirectory
from kraftsim.configuration.configuration import Configuration
from kraftsim.controller.core.uuid import random_uuid
from kraftsim.simulation.topology import BrokerSpec, new_directories


def directories_of(
    configuration: Configuration, spec: BrokerSpec, entropy: Callable[[], float]
) -> tuple[LogDirectory, ...]:
    """Returns directories with the paths of log.dirs or log.dir; no broker reads or writes there.

    Without paths a broker has one directory, whose path contains its id.
    """
    paths = configuration.log_dirs
    if not paths:
        return new_directories(spec, entropy)
    return tuple(LogDirectory(directory_id=random_uuid(entropy), path=path) for path in paths)
