"""What a row of the table of APIs says (`apis.py`, `data_plane_apis.py`)."""

from collections.abc import Mapping
from dataclasses import field
from enum import Enum

from .errors import ErrorCode
from .value import value

ABSENT = -1
"""In place of a newest version: the release does not offer the API."""


class Role(Enum):
    """What a listener does with the requests of an API."""

    DECIDE = "the active controller decides, and may write records"
    QUORUM = "a controller answers as a member of the quorum"
    READ = "a node answers from what it knows"
    LOG = "a broker answers from the logs of its replicas"
    STORE = "a broker would need groups or transactions, and refuses"
    FORWARD = "a broker forwards to the active controller; a controller opens an envelope"
    REFUSE = "a node refuses every request"


class ErrorPlace(Enum):
    """Where a response has the error of a refused request."""

    CODE = "the code for the whole response, without a message"
    WHOLE = "the code and the message for the whole response"
    EACH = "the whole response, and each element of the request that the response repeats"


DECIDE, QUORUM, READ = Role.DECIDE, Role.QUORUM, Role.READ
LOG, STORE, FORWARD, REFUSE = Role.LOG, Role.STORE, Role.FORWARD, Role.REFUSE
CODE, WHOLE, EACH = ErrorPlace.CODE, ErrorPlace.WHOLE, ErrorPlace.EACH


@value(kw_only=False)
class ApiRow:
    """What holds for every request of an API.

    `name` is Kafka's, without Request or Response: "BrokerRegistration".
    """

    key: int
    name: str
    controller: Role | None = None
    """What a controller's listener does; None: Kafka does not offer the API there."""
    broker: Role | None = None
    """What a broker's listener does; None: Kafka does not offer the API there."""
    newest: Mapping[str, int] = field(default_factory=dict)
    """The newest version by release, or ABSENT, where it is not the newest of the schema.

    Recorded ApiVersions responses of a broker and a controller of each release have them, equal on
    both listeners (rule 5.1).
    """
    repeats: Mapping[str, str] = field(default_factory=dict)
    """For EACH: fields of the response, with the fields of the request that they repeat where the
    names differ. An empty text stands for none; several fields are separated by blanks."""
    is_always_newest: bool = False
    """Controllers of kraftsim serve the newest version in every profile: all of them ask for
    pre-votes (KIP-996), which older versions of Vote do not have. A controller that has asked its
    peer for versions sends none that the peer does not list."""
    controller_since: int | None = None
    """The oldest version that a controller serves and lists, where its schema has older ones."""
    listed_since: int | None = None
    """The oldest version in ApiVersions of a broker, where it is not the oldest that is served."""
    is_telemetry: bool = False
    """Client telemetry: a request names its client, and a broker without a telemetry plugin serves
    the API without listing it in ApiVersions."""
    forwardable: bool = False
    """Kafka permits the API in an envelope (ApiKeys.forwardable), although brokers of kraftsim do
    not forward it. Every API with the role FORWARD is permitted."""
    strict_since: int | None = None
    """The first version with THROTTLING_QUOTA_EXCEEDED, for an API that the quota of mutations
    limits (KIP-599); requests of earlier versions are never refused."""
    names_client: bool = False
    """A request names its client and its version, on which the answer depends. Every API with
    `strict_since` does too."""
    secret: str = ""
    """The path to the field with a secret of the client; it is masked where requests are kept."""
    payload: str = ""
    """The path to the data of users, of which requests that are shown have only the size; in the
    names of JSON."""
    http: bool = False
    """`POST /kafka/{name}` accepts the API."""
    error: ErrorPlace = EACH
    """Where a response has the error of a refused request."""
    message_or_null: bool = False
    """A refusal has null for an empty message, although the default of the field is a text."""
    one_way: bool = False
    """A client with acks=0 expects no response."""
    broker_error: ErrorCode = ErrorCode.POLICY_VIOLATION
    """The code with which a broker refuses (STORE, REFUSE); clients do not retry it."""
    controller_error: ErrorCode | None = None
    """The code with which a controller refuses (REFUSE), where it is not that of a broker: Kafka's
    controllers list some APIs that they do not handle, and answer UNKNOWN_SERVER_ERROR."""

    def role(self, listener: str) -> Role | None:
        """Returns what a listener, "controller" or "broker", does with the API."""
        return self.controller if listener == "controller" else self.broker

    @property
    def has_requester(self) -> bool:
        """True if requests carry the client of their header (`rpc/senders.py`)."""
        return self.names_client or self.strict_since is not None

    @property
    def is_forwardable(self) -> bool:
        """True if an envelope may have a request of the API."""
        return self.forwardable or self.broker is FORWARD
