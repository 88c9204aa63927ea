"""Properties of stored messages, S31 and S32, by a data plane that only the properties have.

KIP-966; rules 4.8 to 4.12, 4.25 and 4.34. `ghost.py` says what is assumed of brokers.
"""

from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.core.log.batch import Batch

from ..oracles.committed import OfTheCommittedLog
from ..oracles.ghost import Ghost
from ..oracles.property import Broken, Property
from ..oracles.shadow import Fact, Key


class OfGhost(OfTheCommittedLog):
    """A property of the ghost data plane, which is called before its properties."""

    ghost: Ghost

    def found(self) -> list[str]:
        """Returns what breaks this property, and notes how often it was tested."""
        raise NotImplementedError

    def broker_changed(self, broker_id: int, state: ProcessState) -> None:
        self._judge()

    def partition_settled(self, key: Key, before: Fact | None, after: Fact) -> None:
        self._judge()

    def done(self, batch: Batch, touched: set[Key]) -> None:
        self._judge()

    def _judge(self) -> None:
        found = self.found()
        if found:
            raise Broken(found[0])


class AcknowledgedSurvives(OfGhost):
    """Compares the log of each leader that begins to serve with the acknowledged records.

    Without ELR a partition trusts the last member of its ISR, also after an unclean restart: what
    is lost then is Kafka's own loss.
    """

    number = "S31"
    name = "acknowledged-survives"
    claim = (
        "A record that every in-sync replica had, of at least min ISR, survives every election"
        " that is not declared unclean."
    )

    def found(self) -> list[str]:
        self.exercised = self.ghost.served
        return self.ghost.losses


class MembersHaveCaughtUp(OfGhost):
    """Compares the logs of new members of an ISR, and of an ELR, with the acknowledged records."""

    number = "S32"
    name = "members-have-caught-up"
    claim = "A replica that enters the ISR, or is in the ELR, has every acknowledged record."

    def found(self) -> list[str]:
        self.exercised = self.ghost.joined
        return self.ghost.laggards


CLASSES: tuple[type[Property], ...] = (AcknowledgedSurvives, MembersHaveCaughtUp)
