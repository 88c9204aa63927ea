"""The schemas of all APIs, with the listeners of their rows (rule 5.1)."""

from functools import cache

from ...core.apis import DECOMMISSION_BROKER as DECOMMISSION
from ...core.apis import ROWS
from ...core.log.batch import opaque
from ...core.rpc import Request
from ...core.value import value
from ..codec.schema import Converted, Message
from ..codec.schema_text import read_message, read_messages
from ..messages.declared import of_sort
from ..messages.grammar import Declaration
from ..records.record_batch import decode_batches, encode_batches
from .refused_requests import CHECKS

FETCH = 1
API_VERSIONS = 18
ENVELOPE = 58

_CONVERTED = {
    "records": Converted("records", encode_batches, lambda data: tuple(decode_batches(data)))
}
"""The batches of a Fetch response: those of the metadata log. Batches of messages do not decode."""
_OF_MESSAGES = {"records": Converted("records", encode_batches, lambda data: (opaque([data]),))}
"""The batches of a broker's Fetch response, which stay bytes."""


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
    return read_messages(declaration, _CONVERTED, CHECKS.get(declaration.key))


@cache
def fetched_from_broker() -> Message:
    """Returns the schema of a Fetch response whose batches have messages: they stay bytes."""
    return read_messages(_APIS[FETCH].declaration, _OF_MESSAGES)[1]


@cache
def principal_schema() -> Message:
    """Returns the schema of the principal in an envelope (DefaultPrincipalData.json)."""
    (declaration,) = of_sort("data")
    return read_message(declaration)


_LISTENERS = ("controller", "broker")


def _api(declaration: Declaration) -> Api:
    row = ROWS[declaration.key]
    listeners = frozenset(name for name in _LISTENERS if row.role(name) is not None)
    versions = (declaration.min_version, declaration.max_version, declaration.flexible_since)
    return Api(row.key, row.name, *versions, listeners, declaration)


_APIS = {declaration.key: _api(declaration) for declaration in of_sort("api")}
APIS: dict[int, Api] = {key: _APIS[key] for key in sorted(ROWS) if key != DECOMMISSION}
DECOMMISSION_BROKER = _APIS[DECOMMISSION]
"""KIP-631's draft, which Kafka never numbered: it is encoded in JSON only."""

_BY_REQUEST = {f"{api.declaration.model}Request": api for api in _APIS.values()}


def api_of(request: Request) -> Api:
    """Returns the API of a request, by the name of its class: no schema is read for it."""
    return _BY_REQUEST[type(request).__name__]
