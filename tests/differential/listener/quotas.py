"""Draws client quotas."""

from tests.differential.listener.draft import Draft
from tests.differential.listener.produce import produce
from tests.differential.sequence import Ask, Body

RATES = ("producer_byte_rate", "consumer_byte_rate")
CLIENT_ID = "judge"
ENTITIES = tuple(
    [{"entityType": kind, "entityName": name} for kind, name in entity.items()]
    for entity in (
        *({"client-id": name} for name in (CLIENT_ID, None)),
        *({"user": name} for name in ("ANONYMOUS", None)),
        *(
            {"user": user, "client-id": client}
            for user in ("ANONYMOUS", None)
            for client in (CLIENT_ID, None)
        ),
    )
)


def limit(draft: Draft) -> Ask:
    """A rate that every request exceeds, one that none does, or none."""
    if not draft.has_quotas:
        return produce(draft)
    value = draft.one_of(1.0, 1.0, 1e12, None)
    op = {"key": draft.one_of(*RATES), "value": value or 0.0, "remove": value is None}
    return _quotas([{"entity": draft.one_of(*ENTITIES), "ops": [op]}])


def unlimited() -> Ask:
    """Takes away every quota that a sequence may have set."""
    ops = [{"key": key, "value": 0.0, "remove": True} for key in RATES]
    return _quotas([{"entity": entity, "ops": ops} for entity in ENTITIES])


def _quotas(entries: list[Body]) -> Ask:
    return Ask("AlterClientQuotas", 1, {"entries": entries, "validateOnly": False})
