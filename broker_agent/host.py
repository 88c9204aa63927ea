"""What the process of a broker needs of its machine."""

from collections.abc import Callable
from typing import Protocol

from kraftsim.controller.raft.protocol import Reply

from .agent import Agent
from .conversation import Send
from .process_state import ProcessState
from .replica_store import Found
from .replication.followers import Truncated


class Host(Protocol):
    """The machine of a broker's process, with its connections."""

    def make_agent(self, previous_broker_epoch: int, /) -> Agent:
        """Returns the agent of a new process."""

    def send(self, send: Send, reply_to: Callable[[Reply | None], None], /) -> None:
        """Sends a request to a controller; `reply_to` gets None if the connection fails."""

    def on_change(self, state: ProcessState, /) -> None:
        """Called with each new state of the process."""

    def on_found(self, found: Found, /) -> None:
        """Called at RECOVERY with replicas on disk that are no longer in the metadata."""

    def on_truncated(self, topic: str, partition: int, records: Truncated, /) -> None:
        """Called with what the broker gave up of a log that was not its leader's."""

    @property
    def network_delays(self) -> bool:
        """True if what is sent to another broker may take some time."""

    def lag_us(self, broker_id: int, /, *, is_reply: bool) -> int:
        """Draws how long a Fetch of another broker, or the reply to it, takes."""

    def silence_ms(self, broker_id: int, /) -> int | None:
        """Returns how long the network to or from a broker may be closed; None if it is open."""
