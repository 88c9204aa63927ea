"""Keeps the inputs of one cluster: verbs, requests and frames of clients, with their times.

A world is a function of its options, its seed and its inputs, so everything else is left out. Each
input is one tuple of immutable values, which a file gets as text only when it is written.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from kraftsim.controller.core.rpc import Request
from kraftsim.controller.server.runtime import Runtime
from kraftsim.simulation.world import World

INPUTS_MAX = 100_000
BYTES_MAX = 16 * 1024 * 1024  # of all frames and verbs of one recording
NO_TURN = 0
REAL_TIME = "an input came while time passed with the machine's clock: use the clock auto"

Kind = Literal["verb", "request", "frame"]


class Input(NamedTuple):
    """One input, at `t_us` of the world's time.

    `name` is the verb, the listener of a frame, or empty for a request. `value` holds the arguments
    of a verb as JSON, the request, or the bytes of a frame without its length. `turn` numbers the
    turn of the event loop in which a frame was handled: the cluster does not act between two frames
    of one turn. A request that `bypasses` the controller is answered from the metadata.
    """

    t_us: int
    kind: Kind
    name: str
    value: str | Request | bytes
    turn: int = NO_TURN
    bypasses: bool = False


class Recorder:
    """The inputs of a world, at most INPUTS_MAX with BYTES_MAX bytes of frames and verbs.

    `refusal` is the reason why there is no recording, or None. `gaps` are the reasons why a replay
    may differ.
    """

    def __init__(self, world: World, runtime: Runtime) -> None:
        self.inputs: list[Input] = []
        self.gaps: dict[str, None] = {}  # in order, each reason once
        self.refusal: str | None = None
        self._timeline, self._runtime, self._turns = world.timeline, runtime, runtime.turns
        self._bytes = 0
        if world.streams.seed is None:
            self.refuse("the cluster has no seed: start it with a seed")
        if self._timeline.now_us:
            self.refuse("the cluster did not begin at its start: a recording has no snapshots")

    def begin_at_copy(self) -> None:
        """Records a copied world, too: it is one of this seed that had no input before."""
        self.refusal = None

    def verb(self, name: str, arguments: Mapping[str, object]) -> None:
        """Adds the call of a verb of the cluster."""
        import json  # no verb is called before the first reply of a service

        try:
            text = json.dumps(arguments)
        except (TypeError, ValueError):
            self.note_gap(f"{name} was called with a value that JSON does not have")
            return
        self._bytes += len(text)
        with self._runtime.entered():
            self._add(Input(self._timeline.now_us, "verb", name, text))

    def note_gap(self, reason: str) -> None:
        """Adds a reason why a replay may differ."""
        self.gaps[reason] = None

    def request(self, request: Request, *, bypasses: bool) -> None:
        """Adds a request that was sent by a verb or over HTTP."""
        self._add(Input(self._timeline.now_us, "request", "", request, bypasses=bypasses))

    def frame(self, listener: str, frame: bytes | memoryview) -> None:
        """Adds a frame that a Kafka client sent to a listener, when it is handled."""
        self._bytes += len(frame)
        kept = bytes(frame)
        self._add(Input(self._timeline.now_us, "frame", listener, kept, self._turns.number))

    def _add(self, added: Input) -> None:
        if self.refusal is not None:
            return
        if self._runtime.speed:
            self.note_gap(REAL_TIME)
        self.inputs.append(added)
        if len(self.inputs) > INPUTS_MAX or self._bytes > BYTES_MAX:
            self.refuse(
                f"expected at most {INPUTS_MAX} inputs and {BYTES_MAX >> 20} MiB of requests"
            )

    def refuse(self, reason: str) -> None:
        """Ends the recording, because no replay of it is possible."""
        self.refusal = reason
        self.inputs.clear()
