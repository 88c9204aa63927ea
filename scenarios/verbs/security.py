"""Verbs of an admin on who may do what: client quotas, SCRAM credentials, access control entries.

An effect is a reply with the expected result, as of the other verbs of an admin (`admin.py`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from kraftsim.controller.core import rpc
from kraftsim.controller.core.security import acl_kinds

from ..conditions.occurrences import ErrorName
from ..language.constraints import Between, OneOf
from ..stage.stage import Effects, Stage, Undo
from .admin import send_requests
from .verb import Verb

DEFAULT = "default"  # the name of the default entity of a type
QUOTA_MAX = 1e12
MECHANISMS = {"SCRAM-SHA-256": 1, "SCRAM-SHA-512": 2}
ITERATIONS = 4096  # the fewest that a controller accepts
ITERATIONS_MAX = 1_000_000  # more take seconds to be salted, and are refused
SALT = b"kraftsim"


def _numbers(names: Mapping[int, str]) -> dict[str, int]:
    return {name.lower(): number for number, name in names.items() if number}


RESOURCES = _numbers(acl_kinds.RESOURCE_TYPES)
PATTERNS = _numbers(acl_kinds.PATTERN_TYPES)
OPERATIONS = _numbers(acl_kinds.OPERATIONS)
PERMISSIONS = _numbers(acl_kinds.PERMISSION_TYPES)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetQuota(Verb, word="quota.set"):
    """Sets the quota `key` of a user, client id, both, or address; without `value`, removes it.

    The name `default` stands for the default entity.
    """

    user: str | None = None
    client: str | None = None
    ip: str | None = None
    key: str
    value: Annotated[float, Between(0, QUOTA_MAX)] | None = None
    refused: ErrorName | None = None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        names = {"user": self.user, "client-id": self.client, "ip": self.ip}
        entity = tuple(
            rpc.QuotaEntityData(entity_type=kind, entity_name=None if name == DEFAULT else name)
            for kind, name in names.items()
            if name is not None
        )
        is_removed = self.value is None
        change = rpc.QuotaOperation(key=self.key, value=self.value or 0.0, remove=is_removed)
        entry = rpc.AlterClientQuotasEntry(entity=entity, ops=(change,))
        request = rpc.AlterClientQuotasRequest(entries=(entry,))
        return send_requests(stage, request, refused=self.refused)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetCredential(Verb, word="scram.set"):
    """Sets a user's SCRAM credential; without `password`, deletes it."""

    user: str
    mechanism: Annotated[str, OneOf(tuple(MECHANISMS))] = "SCRAM-SHA-256"
    password: str | None = None
    iterations: Annotated[int, Between(1, ITERATIONS_MAX)] = ITERATIONS
    refused: ErrorName | None = None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        return send_requests(stage, self._request(), refused=self.refused)

    def _request(self) -> rpc.Request:
        mechanism = MECHANISMS[self.mechanism]
        if self.password is None:
            deletion = rpc.ScramCredentialDeletion(name=self.user, mechanism=mechanism)
            return rpc.AlterUserScramCredentialsRequest(deletions=(deletion,))
        upsertion = rpc.ScramCredentialUpsertion(
            name=self.user,
            mechanism=mechanism,
            iterations=self.iterations,
            salt=SALT,
            salted_password=_salted(self.password, mechanism, self.iterations),
        )
        return rpc.AlterUserScramCredentialsRequest(upsertions=(upsertion,))


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateAcl(Verb, word="acl.create"):
    """Adds an access control entry, which controllers with an authorizer keep; none enforces it."""

    principal: str
    resource: Annotated[str, OneOf(tuple(RESOURCES))] = "topic"
    name: str
    pattern: Annotated[str, OneOf(tuple(PATTERNS))] = "literal"
    host: str = "*"
    operation: Annotated[str, OneOf(tuple(OPERATIONS))] = "read"
    permission: Annotated[str, OneOf(tuple(PERMISSIONS))] = "allow"
    refused: ErrorName | None = None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        creation = rpc.AclCreation(
            resource_type=RESOURCES[self.resource],
            resource_name=self.name,
            resource_pattern_type=PATTERNS[self.pattern],
            principal=self.principal,
            host=self.host,
            operation=OPERATIONS[self.operation],
            permission_type=PERMISSIONS[self.permission],
        )
        request = rpc.CreateAclsRequest(creations=(creation,))
        return send_requests(stage, request, refused=self.refused)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteAcl(Verb, word="acl.delete"):
    """Removes the access control entries that fit every word that is given."""

    principal: str | None = None
    resource: Annotated[str, OneOf(tuple(RESOURCES))] = "any"
    name: str | None = None
    pattern: Annotated[str, OneOf(tuple(PATTERNS))] = "any"
    host: str | None = None
    operation: Annotated[str, OneOf(tuple(OPERATIONS))] = "any"
    permission: Annotated[str, OneOf(tuple(PERMISSIONS))] = "any"
    refused: ErrorName | None = None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        wanted = rpc.DeleteAclsFilter(
            resource_type_filter=RESOURCES[self.resource],
            resource_name_filter=self.name,
            pattern_type_filter=PATTERNS[self.pattern],
            principal_filter=self.principal,
            host_filter=self.host,
            operation=OPERATIONS[self.operation],
            permission_type=PERMISSIONS[self.permission],
        )
        return send_requests(stage, rpc.DeleteAclsRequest(filters=(wanted,)), refused=self.refused)


def _salted(password: str, mechanism: int, iterations: int) -> bytes:
    """Returns the salted password (RFC 5802), of which a controller derives its keys."""
    import hashlib  # slow to import, and needed for credentials only

    hash_name = {1: "sha256", 2: "sha512"}[mechanism]
    return hashlib.pbkdf2_hmac(hash_name, password.encode("utf-8"), SALT, iterations)
