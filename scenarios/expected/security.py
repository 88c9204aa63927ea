"""Client quotas, SCRAM credentials and access control entries, and the order of their results.

ClientQuotaControlManager, ScramControlManager and AclControlManager; KIP-546, KIP-554, KIP-801.
"""

from typing import Any

from kraftsim.controller.core import rpc
from kraftsim.controller.core.log.records import QuotaEntity

from ..oracles.breach_words import words
from ..oracles.shadow import Fact, Key
from .ask import Ask, Done, Draw, exactly, refused
from .brokers import UNSUPPORTED_VERSION
from .java_order import hash_map_order
from .partition import Changes
from .view import View

SECURITY_DISABLED, RESOURCE_NOT_FOUND, DUPLICATE_RESOURCE = 54, 91, 92
UNSUPPORTED_SASL_MECHANISM, INVALID_REQUEST, UNACCEPTABLE_CREDENTIAL = 33, 42, 93
SCRAM_FROM = 11  # metadata.version 3.5-IV2
HASHES = ("", "sha256", "sha512")
BYTE_RATE, PERCENTAGE, CONNECTIONS = (
    "producer_byte_rate",
    "request_percentage",
    "connection_creation_rate",
)
# Entities of quotas: names by type, in the order of records.
ENTITIES: tuple[dict[str, str | None], ...] = (
    {"user": "alice"},
    {"client-id": "asked", "user": None},
    {"client-id": "bob"},
    {"ip": "127.0.0.1"},
    {"client-id": "alice", "user": "bob"},
    {"user": None},
)
TOPIC, ANY, LITERAL, PREFIXED, READ, ALLOW = 2, 1, 3, 4, 3, 3


# Client quotas


def _quotas(
    entity: dict[str, str | None], *ops: rpc.QuotaOperation
) -> rpc.AlterClientQuotasRequest:
    parts = [rpc.QuotaEntityData(entity_type=kind, entity_name=entity[kind]) for kind in entity]
    entry = rpc.AlterClientQuotasEntry(entity=tuple(parts), ops=ops)
    return rpc.AlterClientQuotasRequest(entries=(entry,))


def _alter_quotas(view: View, turn: int) -> Ask:
    """Sets one quota of an entity and removes another, which it may not have."""
    entity = ENTITIES[turn % len(ENTITIES)]
    parts = (QuotaEntity(entity_type=kind, entity_name=entity[kind]) for kind in entity)
    key: Key = "Quota", tuple(parts)
    names = [CONNECTIONS] if "ip" in entity else [BYTE_RATE, PERCENTAGE]
    chosen, *others = names if turn % 2 else names[::-1]
    rate = float(1 + turn % 3)
    removals = [rpc.QuotaOperation(key=name, value=0.0, remove=True) for name in others]
    request = _quotas(entity, rpc.QuotaOperation(key=chosen, value=rate, remove=False), *removals)
    before = view.shadow.facts.get(key, {})
    kept = {name: value for name, value in before.items() if name not in others}
    after = kept | {chosen: rate}
    changes: Changes = {} if after == before else {key: after}
    return Ask(f"quotas of {words(entity)}", request, changes=None, flaw=exactly(changes))


def _alter_quotas_wrongly(view: View, turn: int) -> Ask:
    wrong: tuple[tuple[str, dict[str, str | None], str, float], ...] = (
        ("of nobody", {}, BYTE_RATE, 1.0),
        ("of a user without a name", {"user": ""}, BYTE_RATE, 1.0),
        ("of a group", {"group": "asked"}, BYTE_RATE, 1.0),
        ("of an address and a user", {"ip": "127.0.0.1", "user": "bob"}, CONNECTIONS, 1.0),
        ("that an address cannot have", {"ip": "127.0.0.1"}, BYTE_RATE, 1.0),
        ("that a user cannot have", {"user": "bob"}, CONNECTIONS, 1.0),
        ("of 0", {"user": "bob"}, PERCENTAGE, 0.0),
        ("that is no whole number", {"client-id": "bob"}, BYTE_RATE, 1.5),
        ("that is too large", {"ip": "127.0.0.1"}, CONNECTIONS, 2.0**31),
    )
    words, entity, key, rate = wrong[turn % len(wrong)]
    request = _quotas(entity, rpc.QuotaOperation(key=key, value=rate, remove=False))
    return refused(f"a quota {words}", request, INVALID_REQUEST)


# SCRAM credentials


def _upsertion(name: str, mechanism: int, password: bytes) -> rpc.ScramCredentialUpsertion:
    return rpc.ScramCredentialUpsertion(
        name=name, mechanism=mechanism, iterations=4096, salt=b"asked", salted_password=password
    )


def _credential(asked: rpc.ScramCredentialUpsertion) -> Fact:
    """Returns the facts of a credential; its keys are those of RFC 5802, section 3."""
    import hashlib  # slow to import, and needed for credentials only
    import hmac

    name, password = HASHES[asked.mechanism], asked.salted_password
    client_key = hmac.digest(password, b"Client Key", name)
    return {
        "name": asked.name,
        "mechanism": asked.mechanism,
        "salt": asked.salt,
        "stored_key": hashlib.new(name, client_key).digest(),
        "server_key": hmac.digest(password, b"Server Key", name),
        "iterations": asked.iterations,
    }


def _set_credentials(view: View, turn: int) -> Ask:
    """Sets credentials of up to twenty users: their results have the order of a HashMap."""
    names = [f"asked-{turn}-{number}" for number in range(1 + turn % 20)]
    asked = [_upsertion(name, 1 + turn % 2, name.encode()) for name in names]
    request = rpc.AlterUserScramCredentialsRequest(upsertions=tuple(asked))
    what = f"credentials of {len(names)} users"
    if view.level < SCRAM_FROM:
        return refused(what, request, UNSUPPORTED_VERSION)
    changes: Changes = {
        ("Scram", upsertion.name, upsertion.mechanism): _credential(upsertion)
        for upsertion in asked
    }

    def flaw(done: Done) -> str | None:
        users = [result.user for result in _results(done)]
        if users != (expected := hash_map_order(names)):
            return f"the results are of {words(users)}, expected {words(expected)}"
        return exactly(changes)(done)

    return Ask(what, request, changes=None, flaw=flaw)


def _results(done: Done) -> tuple[Any, ...]:
    return done.reply.results  # type: ignore[attr-defined,no-any-return]  # of the users


def _delete_credential(view: View, turn: int) -> Ask:
    known = sorted(view.shadow.of("Scram"))
    key = known[turn % len(known)] if known and turn % 3 else ("Scram", "nobody", 1)
    deletion = rpc.ScramCredentialDeletion(name=str(key[1]), mechanism=int(str(key[2])))
    request = rpc.AlterUserScramCredentialsRequest(deletions=(deletion,))
    if view.level < SCRAM_FROM:
        return refused("no credential", request, UNSUPPORTED_VERSION)
    if key not in view.shadow.facts:
        return refused("no credential of somebody without one", request, RESOURCE_NOT_FOUND)
    return Ask(f"no credential of {key[1]}", request, changes={key: None})


def _set_credentials_wrongly(view: View, turn: int) -> Ask | None:
    if view.level < SCRAM_FROM:
        return None
    twice = [_upsertion("asked", mechanism, b"secret") for mechanism in (1, 2)]
    wrong = (
        ("twice", twice, DUPLICATE_RESOURCE),
        ("for nobody", [_upsertion("", 1, b"secret")], UNACCEPTABLE_CREDENTIAL),
        ("of an unknown mechanism", [_upsertion("asked", 3, b"")], UNSUPPORTED_SASL_MECHANISM),
    )
    words, asked, code = wrong[turn % len(wrong)]
    request = rpc.AlterUserScramCredentialsRequest(upsertions=tuple(asked))
    return refused(f"a credential {words}", request, code)


# Access control entries


def _create_acl(view: View, turn: int) -> Ask:
    name, pattern = f"asked-{turn % 5}", (LITERAL, PREFIXED)[turn % 2]
    entry = {
        "resource_type": TOPIC,
        "resource_name": name,
        "principal": "User:alice",
        "host": "*",
        "operation": READ,
        "permission_type": ALLOW,
    }
    asked = rpc.AclCreation(resource_pattern_type=pattern, **entry)  # type: ignore[arg-type]  # mixed
    request = rpc.CreateAclsRequest(creations=(asked, asked))
    if not view.settings.authorizer_class_name:
        return refused("an entry without an authorizer", request, SECURITY_DISABLED)

    def flaw(done: Done) -> str | None:
        added = [
            fact for key, fact in done.changes.items() if fact and key == ("Access", fact["id"])
        ]
        expected = {**entry, "pattern_type": pattern}
        got = [{name: value for name, value in fact.items() if name != "id"} for fact in added]
        if got == [expected] and len(done.changes) == 1:
            return None
        return f"it changes {words(done.changes)}, expected one new entry {words(expected)}"

    return Ask("an access control entry, twice", request, changes=None, flaw=flaw)


def _delete_acls(view: View, turn: int) -> Ask:
    """Removes the entries of a resource, of a principal, or all of them."""
    entries = view.shadow.of("Access")
    known = sorted(entries.values(), key=lambda fact: bytes(fact["id"]))
    subject: Fact = known[turn % len(known)] if known else {}
    field = (None, "resource_name", "principal")[turn % 3]
    wanted = rpc.DeleteAclsFilter(
        resource_type_filter=ANY,
        resource_name_filter=subject.get("resource_name") if field == "resource_name" else None,
        pattern_type_filter=ANY,
        principal_filter=subject.get("principal") if field == "principal" else None,
        host_filter=None,
        operation=ANY,
        permission_type=ANY,
    )
    request = rpc.DeleteAclsRequest(filters=(wanted,))
    what = f"no access control entries of {subject.get(field, 'anybody') if field else 'anybody'}"
    if not view.settings.authorizer_class_name:
        return refused(what, request, SECURITY_DISABLED)
    changes: Changes = {
        key: None for key, fact in entries.items() if field is None or fact[field] == subject[field]
    }
    return Ask(what, request, changes=changes)


DRAWS: tuple[Draw, ...] = (
    _alter_quotas,
    _alter_quotas_wrongly,
    _set_credentials,
    _delete_credential,
    _set_credentials_wrongly,
    _create_acl,
    _delete_acls,
)
