"""What a released broker describes of clients, and ours from the same metadata: the same."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import pytest

from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.handlers import response_to
from kraftsim.controller.core.profile import KAFKA_4_3
from kraftsim.controller.core.quotas.describe_client_quotas import describe_client_quotas
from kraftsim.controller.core.rpc.quotas import (
    AlterClientQuotasEntry,
    AlterClientQuotasRequest,
    DescribeClientQuotasRequest,
    QuotaEntityData,
    QuotaFilterComponent,
    QuotaOperation,
)
from kraftsim.controller.core.rpc.scram import (
    AlterUserScramCredentialsRequest,
    DescribeUserScramCredentialsRequest,
    DescribeUserScramCredentialsResponse,
    ScramCredentialUpsertion,
    UserName,
)
from kraftsim.controller.core.security.scram_description import describe_user_scram_credentials
from tests.builders import ControllerUnderTest
from tests.released.controller import (
    Connection,
    await_listener,
    free_port,
    released_controller,
)
from tests.released.releases import RELEASES

pytestmark = pytest.mark.released
DESCRIBE_QUOTAS, ALTER_QUOTAS = 48, 49
DESCRIBE_CREDENTIALS, ALTER_CREDENTIALS = 50, 51
EXACT, DEFAULT, SPECIFIED = range(3)
ATTEMPTS = 200
ENTITIES: tuple[dict[str, str | None], ...] = (
    {"user": "alice"},
    {"user": None},
    {"client-id": "app"},
    {"user": "alice", "client-id": "app"},
    {"user": "alice", "client-id": None},
    {"user": None, "client-id": "app"},
    {"ip": "10.0.0.1"},
    {"ip": None},
)
FILTERS: tuple[tuple[tuple[str, int, str | None], ...], ...] = (
    (),
    (("user", EXACT, "alice"),),
    (("user", EXACT, "nobody"),),
    (("user", DEFAULT, None),),
    (("user", SPECIFIED, None),),
    (("client-id", SPECIFIED, None), ("user", EXACT, "alice")),
    (("ip", SPECIFIED, None),),
    (("ip", EXACT, "10.0.0.1"), ("user", EXACT, "alice")),
    (("user", EXACT, None),),
    (("user", DEFAULT, "alice"),),
    (("user", SPECIFIED, "alice"),),
    (("user", 3, None),),
    (("user", EXACT, "alice"), ("user", EXACT, "bob")),
    (("group", EXACT, "g"),),
    (("", EXACT, "g"),),
)


@dataclass(frozen=True, slots=True)
class Kafka:
    """Connections to a released process that is broker and controller."""

    controller: Connection
    broker: Connection

    def described(self, key: int, version: int, request: Any, expected: Any) -> Any:
        """Ask the broker, again while it lags behind the controller."""
        for _ in range(ATTEMPTS):
            answer = in_order(self.broker.ask(key, version, request))
            if answer == expected:
                break
        return answer


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kafka]:
    folder, port = tmp_path_factory.mktemp("clients") / "kafka", free_port()
    with released_controller(
        RELEASES["4.3.1"], folder, cluster_id="clientsOfKafka431AAAAA", client_port=port
    ) as controller:
        await_listener(controller.process, port)
        with closing(controller.connect()) as to_controller, closing(Connection(port)) as to_broker:
            yield Kafka(to_controller, to_broker)


@pytest.fixture
def ours() -> ControllerUnderTest:
    return ControllerUnderTest(KAFKA_4_3)


def quotas_of_every_entity() -> AlterClientQuotasRequest:
    """High quotas, lest the process throttles the test."""
    operations = (
        QuotaOperation(key="producer_byte_rate", value=1e9, remove=False),
        QuotaOperation(key="consumer_byte_rate", value=2e9, remove=False),
        QuotaOperation(key="request_percentage", value=1e6 + 0.5, remove=False),
    )
    of_addresses = (QuotaOperation(key="connection_creation_rate", value=1e6, remove=False),)
    return AlterClientQuotasRequest(
        entries=tuple(
            AlterClientQuotasEntry(
                entity=tuple(
                    QuotaEntityData(entity_type=kind, entity_name=name)
                    for kind, name in entity.items()
                ),
                ops=of_addresses if "ip" in entity else operations,
            )
            for entity in ENTITIES
        )
    )


def in_order(response: Any) -> Any:
    """The same response, sorted where Kafka keeps a hash map: entities, values, mechanisms."""
    if isinstance(response, DescribeUserScramCredentialsResponse):
        results = (
            replace(result, credential_infos=tuple(sorted(result.credential_infos, key=repr)))
            for result in response.results
        )
        return replace(response, results=tuple(sorted(results, key=repr)))
    if response.entries is None:
        return response
    entries = (
        replace(entry, values=tuple(sorted(entry.values, key=repr))) for entry in response.entries
    )
    return replace(response, entries=tuple(sorted(entries, key=repr)))


def answered(describe: Any, image: Any, request: Any, version: int) -> Any:
    try:
        return response_to(request, describe(image, request), version)
    except ApiError as error:
        return response_to(request, error, version)


def test_a_broker_describes_the_quotas_of_the_entities_that_a_filter_selects(
    kafka: Kafka, ours: ControllerUnderTest
) -> None:
    altered = quotas_of_every_entity()
    ours.accepted(altered)
    response = kafka.controller.ask(ALTER_QUOTAS, 1, altered)
    assert {entry.error_code for entry in response.entries} == {0}
    for strict in (False, True):
        for parts in FILTERS:
            request = DescribeClientQuotasRequest(
                components=tuple(
                    QuotaFilterComponent(entity_type=kind, match_type=match_type, match=match)
                    for kind, match_type, match in parts
                ),
                strict=strict,
            )
            image = ours.node.committed
            own = in_order(answered(describe_client_quotas, image, request, 1))
            assert kafka.described(DESCRIBE_QUOTAS, 1, request, own) == own


@pytest.mark.parametrize(
    "names", [None, (), ("alice",), ("alice", "bob", "nobody"), ("alice", "alice", "bob")]
)
def test_a_broker_describes_the_credentials_of_users(
    kafka: Kafka, ours: ControllerUnderTest, names: tuple[str, ...] | None
) -> None:
    for name, mechanism in (("alice", 1), ("alice", 2), ("bob", 2)):
        upsertion = ScramCredentialUpsertion(
            name=name, mechanism=mechanism, iterations=4096, salt=b"s", salted_password=b"p"
        )
        altered = AlterUserScramCredentialsRequest(upsertions=(upsertion,))
        assert kafka.controller.ask(ALTER_CREDENTIALS, 0, altered) == ours.accepted(altered)
    users = None if names is None else tuple(UserName(name=name) for name in names)
    request = DescribeUserScramCredentialsRequest(users=users)

    own = in_order(answered(describe_user_scram_credentials, ours.node.committed, request, 0))

    assert kafka.described(DESCRIBE_CREDENTIALS, 0, request, own) == own
