"""Envelopes as a broker makes them, and invalid ones, with the error of each in Kafka 4.3.1."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.rpc import (
    AllocateProducerIdsRequest,
    ApiVersionsRequest,
    BrokerHeartbeatRequest,
    CreateTopicsRequest,
    DescribeQuorumRequest,
    Request,
    UnregisterBrokerRequest,
)
from kraftsim.controller.core.rpc.acls import AclCreation, CreateAclsRequest
from kraftsim.controller.core.rpc.envelope import EnvelopeRequest
from kraftsim.controller.core.rpc.quotas import AlterClientQuotasRequest
from kraftsim.controller.core.rpc.scram import AlterUserScramCredentialsRequest
from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.codec.compiler import encoder
from tests.wire.hostile_frames import ANONYMOUS, LOOPBACK

ENVELOPE, UNREGISTER = 58, 64
LOOPBACK_IPV6 = bytes(15) + b"\x01"
INVALID = ErrorCode.INVALID_REQUEST
UNDECODED = ErrorCode.UNSUPPORTED_VERSION
NO_PRINCIPAL = ErrorCode.PRINCIPAL_DESERIALIZATION_FAILURE


@dataclass(frozen=True, slots=True)
class Sent:
    """An envelope, and the error code of the response: 0 if the request in it is answered."""

    data: bytes
    code: int = 0
    principal: bytes | None = ANONYMOUS
    address: bytes = LOOPBACK

    @property
    def request(self) -> bytes:
        """The Envelope request with its header, and without a length."""
        envelope = EnvelopeRequest(
            request_data=self.data,
            request_principal=self.principal,
            client_host_address=self.address,
        )
        return head(ENVELOPE, 0) + encoder(APIS[ENVELOPE].request, 0)(envelope)


def head(key: int, version: int, correlation_id: int = 7) -> bytes:
    """A header with tags, of the client "client"."""
    number = correlation_id.to_bytes(4)
    return key.to_bytes(2) + version.to_bytes(2, signed=True) + number + b"\0\x06client\0"


def spelled(key: int, version: int, request: Request) -> bytes:
    return head(key, version) + encoder(APIS[key].request, version)(request)


UNREGISTRATION = spelled(UNREGISTER, 0, UnregisterBrokerRequest(broker_id=5))
HEARTBEAT = BrokerHeartbeatRequest(
    broker_id=1, current_metadata_offset=1, want_fence=False, want_shut_down=False
)
ALICE_READS = AclCreation(
    resource_type=2,
    resource_name="orders",
    principal="User:alice",
    host="*",
    operation=3,
    permission_type=3,
)
EVERYTHING: dict[str, Any] = {
    "resource_type_filter": 1,
    "resource_name_filter": None,
    "pattern_type_filter": 1,
    "principal_filter": None,
    "host_filter": None,
    "operation": 1,
    "permission_type": 1,
}
"""The filter that selects every ACL."""
NAMED = ApiVersionsRequest(client_software_name="a", client_software_version="1")

CASES: Mapping[str, Sent] = {
    "a request": Sent(UNREGISTRATION),
    "an IPv6 address": Sent(UNREGISTRATION, address=LOOPBACK_IPV6),
    "no topics": Sent(spelled(19, 7, CreateTopicsRequest(topics=()))),
    "producer ids": Sent(spelled(67, 0, AllocateProducerIdsRequest(broker_id=9, broker_epoch=1))),
    "no quotas": Sent(spelled(49, 1, AlterClientQuotasRequest(entries=()))),
    "an ACL": Sent(spelled(30, 3, CreateAclsRequest(creations=(ALICE_READS,)))),
    "no credentials": Sent(spelled(51, 0, AlterUserScramCredentialsRequest())),
    "the quorum": Sent(spelled(55, 2, DescribeQuorumRequest())),
    "bytes after the request": Sent(UNREGISTRATION + b"xx"),
    "bytes after the principal": Sent(UNREGISTRATION, principal=ANONYMOUS + b"xx"),
    "a request without its end": Sent(UNREGISTRATION[:-2], UNDECODED),
    "no request": Sent(b"", UNDECODED),
    "half a header": Sent(UNREGISTRATION[:5], UNDECODED),
    "an unknown API": Sent(head(999, 0), UNDECODED),
    "a negative API": Sent(head(0xFFFF, 0), UNDECODED),
    "a later version": Sent(head(UNREGISTER, 99), UNDECODED),
    "a negative version": Sent(head(UNREGISTER, -1), UNDECODED),
    "a version that Kafka 4 removed": Sent(head(19, 1), UNDECODED),
    "ApiVersions": Sent(spelled(18, 4, NAMED), INVALID),
    "a heartbeat": Sent(spelled(63, 1, HEARTBEAT), INVALID),
    "a later version of a heartbeat": Sent(head(63, 99), INVALID),
    "an API of brokers": Sent(head(3, 12) + bytes(4), INVALID),
    "an envelope": Sent(Sent(UNREGISTRATION).request, INVALID),
    "no principal": Sent(UNREGISTRATION, NO_PRINCIPAL, principal=None),
    "an empty principal": Sent(UNREGISTRATION, NO_PRINCIPAL, principal=b""),
    "a later principal": Sent(UNREGISTRATION, NO_PRINCIPAL, principal=b"\0\x01" + ANONYMOUS[2:]),
    "half a principal": Sent(UNREGISTRATION, NO_PRINCIPAL, principal=ANONYMOUS[:-3]),
    "a principal without a name": Sent(
        UNREGISTRATION, NO_PRINCIPAL, principal=b"\0\0\x05User\0\0\0"
    ),
    "no address": Sent(UNREGISTRATION, INVALID, address=b""),
    "an address of five bytes": Sent(UNREGISTRATION, INVALID, address=LOOPBACK + b"\x01"),
    "no principal and no address": Sent(UNREGISTRATION, NO_PRINCIPAL, None, b""),
    "no address and no request": Sent(b"", INVALID, address=b""),
}
