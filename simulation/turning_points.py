"""Journal rows for decisions of a controller that no record shows yet.

They lie between the event that affects a node and the record that results from it: an election, a
resignation, an expired lease.
"""

from kraftsim.controller.core.log.records import (
    FENCE,
    BrokerRegistrationChangeRecord,
    FenceBrokerRecord,
)
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.protocol import Turn
from kraftsim.controller.raft.roles import Candidate, Prospective, Resigned

from .journal import Journal

ROLES = {Prospective: "controller_stands", Resigned: "controller_resigns"}
ROLES_WITHOUT_PRE_VOTES = {Candidate: "controller_stands", Resigned: "controller_resigns"}


class TurningPoints:
    """Listens to the steps of controllers, and writes the rows of their decisions."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._roles: dict[int, type] = {}

    def on_step(self, node: Node, turn: Turn) -> None:
        """Writes a row for a change of role, and a row for each lease that expired in this step."""
        node_id, role = node.config.node_id, type(node.quorum.role)
        if self._roles.get(node_id) is not role:
            self._roles[node_id] = role
            has_pre_votes = node.quorum.identity.has_pre_votes
            kind = (ROLES if has_pre_votes else ROLES_WITHOUT_PRE_VOTES).get(role)
            if kind is not None:
                self._journal.write(
                    f"controller-{node_id}",
                    kind,
                    leader_epoch=node.epoch,
                    detail={"controller_id": node_id},
                )
        if turn.persist and node.active is not None:
            self._write_expiries(node, turn)

    def _write_expiries(self, node: Node, turn: Turn) -> None:
        """Writes a row for each broker that this step fences because its lease expired."""
        for batch in turn.persist:
            for record in batch.records:
                if isinstance(record, BrokerRegistrationChangeRecord) and record.fenced == FENCE:
                    self._write_expiry(node, turn, record.broker_id, record.broker_epoch)
                elif isinstance(record, FenceBrokerRecord):
                    self._write_expiry(node, turn, record.id, record.epoch)

    def _write_expiry(self, node: Node, turn: Turn, broker_id: int, broker_epoch: int) -> None:
        contact_ms = node.leases.pop_ran_out(broker_id)
        if contact_ms is not None:
            self._journal.write(
                f"controller-{node.config.node_id}",
                "lease_expired",
                broker_id=broker_id,
                broker_epoch=broker_epoch,
                leader_epoch=node.epoch,
                detail={"silent_ms": turn.now_ms - contact_ms},
            )
