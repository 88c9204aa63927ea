"""A released broker that joins other controllers: started, killed, started again on its disk."""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.released.node import STOP_LIMIT_S, end, format_storage, start_node
from tests.released.releases import Release


@dataclass(slots=True)
class ReleasedBroker:
    """`config` is its properties file; its log directories are formatted."""

    release: Release
    config: Path
    _processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self) -> None:
        """Starts a process, which registers; use it when none runs."""
        with self._log.open("ab") as log:
            self._processes.append(start_node(self.release, self.config, log))

    def kill(self) -> None:
        """Sends SIGKILL, and returns when the process has ended."""
        self._processes[-1].kill()
        self._processes[-1].wait(STOP_LIMIT_S)

    def signal(self, number: int) -> None:
        """Sends a signal to the last process, and does not wait for what it does."""
        self._processes[-1].send_signal(number)

    def await_end(self) -> None:
        """Returns when the last process has ended."""
        self._processes[-1].wait(STOP_LIMIT_S)

    def end(self) -> None:
        """Sends SIGTERM to the last process: a controlled shutdown, if it still runs."""
        if self._processes:
            end(self._processes[-1])

    def errors(self) -> list[str]:
        """Returns the lines that its processes have logged at ERROR or FATAL."""
        lines = self._log.read_text("utf-8", "replace").splitlines()
        return [line for line in lines if "] ERROR " in line or "] FATAL " in line]

    @property
    def _log(self) -> Path:
        return self.config.with_name("server.log")


@contextmanager
def released_broker(
    release: Release,
    folder: Path,
    properties: str,
    *,
    cluster_id: str,
    options: Sequence[str] = (),
) -> Iterator[ReleasedBroker]:
    """A node that was formatted and started with these lines; it ends with the block.

    `options` are those of `kafka-storage.sh format`, which a controller needs.
    """
    folder.mkdir(parents=True)
    broker = ReleasedBroker(release, folder / "server.properties")
    broker.config.write_text(properties, "utf-8")
    format_storage(release, broker.config, cluster_id=cluster_id, options=options)
    try:
        broker.start()
        yield broker
    finally:
        broker.end()
