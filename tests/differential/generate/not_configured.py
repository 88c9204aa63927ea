"""Requests of SASL and delegation tokens, which a controller without either refuses."""

from typing import Any

from tests.differential.generate.draft import Draft
from tests.differential.sequence import Ask

_HMAC = "aG1hYw=="
_USER = {"principalType": "User", "principalName": "alice"}


def ask(draft: Draft) -> Ask:
    draws = (_handshake, _authenticate, _create, _renew, _expire, _describe)
    asked: Ask = draft.one_of(*draws)(draft)
    return asked


def _handshake(draft: Draft) -> Ask:
    mechanism = draft.one_of("PLAIN", "SCRAM-SHA-256", "")
    return Ask("SaslHandshake", draft.random.randint(0, 1), {"mechanism": mechanism})


def _authenticate(draft: Draft) -> Ask:
    return Ask("SaslAuthenticate", draft.random.randint(0, 2), {"authBytes": _HMAC})


def _create(draft: Draft) -> Ask:
    version = draft.random.randint(1, 3)
    body: dict[str, Any] = {"renewers": draft.one_of([], [_USER]), "maxLifetimeMs": -1}
    if version == 3:
        name = draft.one_of(None, "alice")
        body |= {"ownerPrincipalType": name and "User", "ownerPrincipalName": name}
    return Ask("CreateDelegationToken", version, body)


def _renew(draft: Draft) -> Ask:
    body = {"hmac": _HMAC, "renewPeriodMs": draft.one_of(-1, 1000)}
    return Ask("RenewDelegationToken", draft.random.randint(1, 2), body)


def _expire(draft: Draft) -> Ask:
    body = {"hmac": _HMAC, "expiryTimePeriodMs": draft.one_of(-1, 1000)}
    return Ask("ExpireDelegationToken", draft.random.randint(1, 2), body)


def _describe(draft: Draft) -> Ask:
    owners = draft.one_of(None, [], [_USER])
    return Ask("DescribeDelegationToken", draft.random.randint(1, 3), {"owners": owners})
