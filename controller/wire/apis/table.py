"""The table of all APIs: key, versions, schemas, and listeners (rule 5.1)."""

from functools import cache

from ...core.value import value
from ..codec.schema import Converted, Message
from ..codec.schema_text import read_message, read_messages
from ..messages.declared import of_sort
from ..messages.grammar import Declaration
from ..records.record_batch import decode_batches, encode_batches
from .refused_requests import CHECKS

API_VERSIONS = 18
ENVELOPE = 58
SERVED_SINCE = {("controller", 1): 13}
"""The oldest version that a listener serves, by listener and key, if its schema has older ones."""
LISTED_SINCE = SERVED_SINCE | {("broker", 0): 0}
"""The oldest version in ApiVersions; Kafka 4 lists Produce from 0 on and serves it from 3 on."""

TELEMETRY = frozenset({71, 72})
"""The APIs of client telemetry: a broker without a telemetry plugin serves them, and does not list
them in ApiVersions."""
OWN_QUORUM = frozenset({1, 52})
"""Fetch and Vote, which kraftsim's controllers exchange in the newest version in every profile: all
of them ask for pre-votes (KIP-996), which older versions of Vote do not have."""


_CONVERTED = {
    "records": Converted("records", encode_batches, lambda data: tuple(decode_batches(data)))
}
"""The batches of a Fetch response: those of the metadata log. Batches that a broker serves to
consumers do not decode."""


@value(kw_only=False)
class Api:
    """One API: its versions, its schemas, and the listeners on which Kafka offers it.

    `name` is Kafka's, without Request or Response: "BrokerRegistration".
    """

    key: int
    name: str
    min_version: int
    max_version: int
    flexible_since: int
    listeners: frozenset[str]
    declaration: Declaration

    @property
    def request(self) -> Message:
        """The schema of requests."""
        return _messages(self.declaration)[0]

    @property
    def response(self) -> Message:
        """The schema of responses."""
        return _messages(self.declaration)[1]

    def speaks(self, version: int) -> bool:
        """True if the version is supported."""
        return self.min_version <= version <= self.max_version

    def is_flexible(self, version: int) -> bool:
        """True if the version uses compact lengths and tagged fields."""
        return version >= self.flexible_since


@cache
def _messages(declaration: Declaration) -> tuple[Message, Message]:
    request, response = read_messages(declaration, _CONVERTED)
    request.check = CHECKS.get(declaration.key)
    return request, response


@cache
def principal_schema() -> Message:
    """Returns the schema of the principal in an envelope (DefaultPrincipalData.json)."""
    (declaration,) = of_sort("data")
    return read_message(declaration)


CONTROLLER = frozenset({"controller"})
BROKER = frozenset({"broker"})
BOTH = CONTROLLER | BROKER
_OF_CONTROLLERS_TOO = frozenset({17, 36, 38, 39, 40, 41})
"""The APIs of SASL and delegation tokens, of those that are text."""


_OF_CONTROLLERS = frozenset({52, 53, 54, 56, 58, 59, 62, 63, 67, 70, 73, 82})
_OF_BOTH = frozenset(
    {1, 18, 19, 20, 29, 30, 31, 32, 33, 37, 43, 44, 45, 46, 49, 50, 51, 55, 57, 60, 64, 80, 81, 94}
)


def _api(declaration: Declaration) -> Api:
    key = declaration.key
    listeners = CONTROLLER if key in _OF_CONTROLLERS else BROKER
    if key in _OF_BOTH | _OF_CONTROLLERS_TOO:
        listeners = BOTH
    return Api(*declaration[1:6], BOTH if key in _OF_BOTH else listeners, declaration)


_APIS = tuple(map(_api, of_sort("api")))
APIS: dict[int, Api] = {api.key: api for api in _APIS if api.key >= 0}
(DECOMMISSION_BROKER,) = (api for api in _APIS if api.key < 0)
"""KIP-631's draft, which Kafka never numbered: it is encoded in JSON only."""
