"""Properties of registration and identity, S10 to S17 (rules 9.1 to 9.11, 9.29, 9.44)."""

from typing import Any

from kraftsim.controller.core.log import records as r
from kraftsim.controller.core.uuid import Uuid
from kraftsim.simulation.world import World

from ..oracles.breach_words import differing, registration_words, words
from ..oracles.committed import OfTheCommittedLog
from ..oracles.property import Broken, Property
from ..oracles.tenure import OfTenures, Tenure, unfenced_by
from . import refusals, replies


class EpochLaw(OfTheCommittedLog):
    """Checks the epoch and the state in each registration."""

    number = "S10"
    name = "epoch-law"
    claim = (
        "A new incarnation is fenced and gets a broker epoch above all earlier ones; the same"
        " incarnation keeps its epoch, fencing and shutdown state."
    )

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._highest = -1

    def read(self, record: Any, offset: int) -> None:
        if not isinstance(record, r.RegisterBrokerRecord):
            return
        self.exercised += 1
        broker_id, epoch = record.broker_id, record.broker_epoch
        known = self.shadow.broker(broker_id)
        if known is not None and known["incarnation_id"] == record.incarnation_id:
            previous = {name: known[name] for name in ("broker_epoch", "fenced")}
            previous["in_controlled_shutdown"] = known["in_controlled_shutdown"]
            fact = {name: getattr(record, name) for name in previous}
            if fact != previous:
                now, before = differing(fact, previous)
                raise Broken(
                    f"the same incarnation of broker {broker_id} has {now}, and had {before}"
                )
        elif epoch <= self._highest or epoch > offset:
            raise Broken(
                f"broker {broker_id} gets epoch {epoch} at offset {offset}, not above "
                f"{self._highest}"
            )
        elif not record.fenced or record.in_controlled_shutdown:
            raise Broken(f"a new incarnation of broker {broker_id} is not fenced: {words(record)}")
        self._highest = max(self._highest, epoch)


class OneIncarnationUnfenced(OfTheCommittedLog):
    """Compares the epoch in each change of a registration with the registered epoch."""

    number = "S11"
    name = "one-incarnation-unfenced"
    claim = "Only the registered incarnation is unfenced, fenced or changed."

    def read(self, record: Any, offset: int) -> None:
        match record:
            case r.BrokerRegistrationChangeRecord() | r.UnregisterBrokerRecord():
                broker_id, epoch = record.broker_id, record.broker_epoch
            case r.FenceBrokerRecord() | r.UnfenceBrokerRecord():
                broker_id, epoch = record.id, record.epoch
            case _:
                return
        self.exercised += unfenced_by(record) is not None
        known = self.shadow.broker(broker_id)
        if known is None or known["broker_epoch"] != epoch:
            raise Broken(
                f"{words(record)} at offset {offset} names another incarnation of broker "
                f"{broker_id} than the registered one, which is {registration_words(known)}"
            )


class NoTheft(OfTenures):
    """Checks that another incarnation gets an unfenced broker's id only after the session."""

    number = "S12"
    name = "no-theft"
    claim = (
        "Another incarnation of an unfenced broker is accepted only after the lease has expired."
    )

    def appended(self, tenure: Tenure, record: Any, offset: int) -> None:
        known = tenure.brokers.get(getattr(record, "broker_id", -1))
        if not isinstance(record, r.RegisterBrokerRecord) or known is None:
            return
        if known.incarnation_id == record.incarnation_id:
            return
        self.exercised += 1
        if known.fenced or known.contact_ms is None:
            return
        silent_ms = self.world.clock_ms(tenure.node) - known.contact_ms
        if silent_ms <= self.session_ms:
            raise Broken(
                f"the id of broker {record.broker_id} goes to another incarnation at offset "
                f"{offset}, {silent_ms} ms after the last contact of the previous one"
            )


class IdsImmutable(OfTheCommittedLog):
    """Checks the cluster ids of controllers, and that each directory belongs to one broker."""

    number = "S17"
    name = "ids-immutable"
    claim = "All nodes have one cluster id, which never changes; a directory belongs to one broker."

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._owners: dict[Uuid, int] = {}

    def restarted(self, node_id: int) -> None:
        self.exercised += 1
        config, expected = self.world.controllers[node_id].node.config, self.world.topology
        if config.cluster_id != expected.cluster_id:
            raise Broken(
                f"controller {node_id} belongs to cluster {config.cluster_id}, expected "
                f"{expected.cluster_id}"
            )

    def read(self, record: Any, offset: int) -> None:
        match record:
            case r.UnregisterBrokerRecord():
                self._disown(record.broker_id)
            case r.RegisterBrokerRecord():
                self._disown(record.broker_id)
                self._own(record.broker_id, record.log_dirs)
            case r.BrokerRegistrationChangeRecord(log_dirs=directories) if directories:
                self._disown(record.broker_id)
                self._own(record.broker_id, directories)

    def _disown(self, broker_id: int) -> None:
        known = self.shadow.broker(broker_id)
        for directory in known["log_dirs"] if known else ():
            if self._owners.get(directory) == broker_id:
                del self._owners[directory]

    def _own(self, broker_id: int, directories: tuple[Uuid, ...]) -> None:
        for directory in directories:
            owner = self._owners.setdefault(directory, broker_id)
            if owner != broker_id:
                raise Broken(
                    f"directory {words(directory)} belongs to brokers {owner} and {broker_id}"
                )


CLASSES: tuple[type[Property], ...] = (
    EpochLaw,
    OneIncarnationUnfenced,
    NoTheft,
    *refusals.CLASSES,
    *replies.CLASSES,
    IdsImmutable,
)
