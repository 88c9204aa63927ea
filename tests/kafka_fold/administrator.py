"""An administrator, and brokers of no process: random requests of every API to a world."""

from random import Random
from typing import cast

from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.rpc import Request
from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.json.json_form import from_json
from kraftsim.simulation.world import World
from tests.differential.generate import draw_steps
from tests.differential.generate.draft import Draft
from tests.differential.history import History
from tests.differential.judge import KEYS
from tests.differential.sequence import Ask
from tests.differential.symbols import resolve
from tests.released.releases import RELEASES

FIRST_BROKER_ID = 101  # above the brokers of the scenario
SEQUENCES_MAX = 1_000


class Administrator:
    """Sends the requests of the judge's random sequences, one at a time.

    The brokers that it registers have no process: only its heartbeats keep them unfenced.
    """

    def __init__(self, world: World, seed: int) -> None:
        self._world = world
        self._history = History()
        self._steps = (
            step
            for number in range(SEQUENCES_MAX)
            for step in draw_steps(
                Draft(
                    Random(f"{seed}/{number}"),
                    RELEASES["4.3.1"],
                    world.topology.cluster_id,
                    number,
                    first_id=FIRST_BROKER_ID,
                    prefix=f"s{number}.",
                    level=world.committed.metadata_version,
                )
            )
        )
        world.committed_listeners.append(self._follow)

    def act(self) -> None:
        """Sends the next request to the active controller, and awaits no reply."""
        step = next(self._steps)
        assert isinstance(step, Ask)
        if _loses_a_credential(step):
            return
        message = APIS[KEYS[step.api]].request
        request = from_json(message, resolve(step.body, self._history))
        self._world.dispatch(cast(Request, request), lambda _: None)

    def _follow(self, node_id: int, batch: Batch) -> None:
        if batch.base_offset == self._history.end_offset:
            self._history.follow([batch])


def _loses_a_credential(step: Ask) -> bool:
    """True for a request after which Kafka's own image may lack a credential.

    ScramDelta.apply of 4.3.1 drops the map of a mechanism whose last credential is removed, and
    then puts a new credential of the same batch into the dropped map.
    """
    body = step.body
    return step.api == "AlterUserScramCredentials" and bool(
        body["deletions"] and body["upsertions"]
    )
