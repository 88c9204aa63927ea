"""What must not pass over HTTP: a clear error that says expected and got, and nothing happens."""

import asyncio
import gc
import json
from collections.abc import Iterator

import pytest
from aiohttp import ClientSession, web
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kraftsim import Cluster
from kraftsim.controller.core.errors import ApiError
from kraftsim.http.app import BODY_BYTES_MAX
from kraftsim.http.kafka_json import KAFKA_APIS
from tests.kraftsim.conftest import Http

pytestmark = pytest.mark.realtime


@pytest.fixture(autouse=True)
def nothing_happened(kraft: Cluster, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Whatever the input: no record, no change of a broker, no traceback in the log."""
    node = kraft.world.controller.node
    end, brokers = node.log.end_offset, dict(node.committed.brokers)
    yield
    assert (node.log.end_offset, dict(node.committed.brokers)) == (end, brokers)
    assert [record.getMessage() for record in caplog.records if record.exc_info] == []


HEARTBEAT = {
    "brokerId": 1,
    "brokerEpoch": 1,
    "currentMetadataOffset": 0,
    "wantFence": False,
    "wantShutDown": False,
}


async def test_a_name_that_is_given_twice_is_refused(http: Http) -> None:
    refused = await http.post("/kafka/DescribeQuorum", data=b'{"topics": [], "topics": []}')
    assert refused.message == "body: expected each name of an object once, got 'topics' twice"


async def test_a_parameter_that_no_api_of_kafka_has_is_refused(http: Http) -> None:
    refused = await http.post("/kafka/DescribeQuorum?validateOnly=true", {})
    assert refused.message == "POST /kafka/DescribeQuorum: expected version, got 'validateOnly'"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"brokerId": "1"}, "brokerId: expected an integer from -2147483648 to 2147483647"),
        ({"brokerId": 1.0}, "brokerId: expected an integer"),
        ({"brokerId": True}, "brokerId: expected an integer"),
        ({"brokerId": None}, "brokerId: expected an integer"),
        ({"brokerId": 2**31}, "brokerId: expected an integer"),
        ({"brokerEpoch": 2**63}, "brokerEpoch: expected an integer"),
        ({"wantFence": "false"}, "wantFence: expected true or false, got 'false'"),
        ({"wantFence": 0}, "wantFence: expected true or false, got 0"),
        ({"wantFenced": True}, "wantFenced: expected a field such as 'wantFence'"),
        ({"offlineLogDirs": "x"}, "offlineLogDirs: expected an array, got 'x'"),
        ({"offlineLogDirs": None}, "offlineLogDirs: expected an array, got None"),
        ({"offlineLogDirs": ["x"]}, "offlineLogDirs[0]: expected a uuid"),
        ({"offlineLogDirs": [{}]}, "offlineLogDirs[0]: expected a uuid"),
    ],
)
async def test_a_wrong_type_is_named_with_its_field(
    http: Http, change: dict[str, object], message: str
) -> None:
    refused = await http.kafka("BrokerHeartbeat", **HEARTBEAT | change)

    assert refused.refusal == (400, 42, "INVALID_REQUEST")
    assert refused.message.startswith(message)


async def test_a_missing_field_is_named(http: Http) -> None:
    refused = await http.kafka("BrokerHeartbeat", brokerId=1)

    assert refused.refusal == (400, 42, "INVALID_REQUEST")
    assert "currentMetadataOffset: expected an integer" in refused.message
    assert refused.message.endswith("got nothing")


@pytest.mark.parametrize(
    "data",
    [
        b"{",
        b"\xff\xfe\xfd",
        b"nonsense",
        b'{"brokerId": NaN}',
        b'{"brokerId": 1e999}',
        b'{"brokerId": ' + b"9" * 5000 + b"}",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"[1, 2]",
        b'"text"',
        b"null",
        b"7",
    ],
)
async def test_a_body_that_is_no_object_is_refused(http: Http, data: bytes) -> None:
    refused = await http.post("/kafka/BrokerHeartbeat", data=data)

    assert refused.refusal == (400, 42, "INVALID_REQUEST")
    assert "expected" in refused.message
    assert len(refused.message) < 300


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/sim/configs/client-metrics/m/set", {"values": {"match": "client_id=\ud800"}}),
        (
            "/sim/configs/group/\\udfff/set",
            {"values": {"consumer.session.timeout.ms": 45000}, "delete": ["\udfff"]},
        ),
        ("/kafka/AllocateProducerIds", {"brokerId": 1, "\udfff": 1}),
        (
            "/kafka/CreateTopics",
            {"topics": [{"name": "t", "configs": [{"name": "cleanup.policy", "value": "\udfff"}]}]},
        ),
    ],
)
async def test_half_of_a_surrogate_pair_is_refused(http: Http, path: str, body: object) -> None:
    # no record can store it: a controller that had it in its log could encode no batch more
    refused = await http.post(path, body)

    assert refused.refusal == (400, 42, "INVALID_REQUEST")
    assert "body: expected text of whole characters, got '\\ud" in refused.message


async def test_an_unknown_charset_does_not_matter_because_json_is_unicode(
    http: Http, kraft: Cluster
) -> None:
    url = f"{kraft.http_url}/kafka/DescribeCluster"
    odd = {"Content-Type": "application/json; charset=klingon"}

    async with http.session.post(url, data=b"{}", headers=odd) as answer:
        assert answer.status == 200


async def test_a_body_over_the_limit_is_refused_and_the_next_one_is_read(http: Http) -> None:
    refused = await http.post("/kafka/BrokerHeartbeat", data=b" " * (BODY_BYTES_MAX + 1))
    assert (refused.status, refused.document["error"]) == (413, "TOO_LARGE")
    assert str(BODY_BYTES_MAX) in refused.message

    assert (await http.kafka("DescribeCluster")).status == 200


async def test_thousands_of_topics_in_a_body_within_the_limit_are_refused_one_by_one(
    http: Http,
) -> None:
    names = [f"{number:0250}" for number in range(3000)]

    answer = await http.kafka("CreateTopics", topics=[{"name": name} for name in names])

    assert answer.status == 200
    assert {topic["errorCode"] for topic in answer.document["topics"]} == {17}


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nowhere", 404),
        ("GET", "/kafka", 404),
        ("GET", "/v1/brokers/77", 404),
        ("GET", "/v1/brokers/-1", 404),
        ("POST", "/sim/brokers/77/kill", 404),
        ("POST", "/sim/brokers/1/explode", 404),
        ("GET", "/v1/brokers/one", 400),
        ("GET", "/v1/brokers/1?id=2", 400),
        ("GET", "/v1/brokers?color=red", 400),
        ("GET", "/v1/log?from=-1", 400),
        ("GET", "/v1/log?from=x", 400),
        ("GET", "/v1/log?limit=-1", 400),
        ("GET", "/v1/log?limit=0", 400),
        ("GET", "/v1/log?limit=99999999", 400),
        ("GET", "/v1/log?start=1", 400),
        ("GET", "/v1/events?limit=-1", 400),
        ("GET", "/v1/events?from=-1", 400),
        ("GET", "/v1/wait", 400),
        ("GET", "/v1/wait?broker=1&state=fencd", 400),
        ("GET", "/v1/wait?broker=1&state=fenced&timeout=soon", 400),
        ("GET", f"/v1/wait?broker=1&state=fenced&timeout={'9' * 400}", 400),
        ("DELETE", "/v1/brokers", 405),
        ("GET", "/sim/brokers/1/kill", 405),
        ("GET", "/kafka/BrokerHeartbeat", 405),
    ],
)
async def test_a_wrong_address_or_argument_gets_a_document_that_says_so(
    http: Http, method: str, path: str, status: int
) -> None:
    async with http.session.request(method, http.url + path, json={}) as answer:
        document = await answer.json()

    assert answer.status == status
    assert set(document) == {"errorCode", "error", "message"}
    assert document["errorCode"] != 0
    assert document["message"]


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"\0\x01\x02\r\n\r\n", 400),
        (b"GET /livez HTTP/1.1\r\nHost localhost\r\n\r\n", 400),
        (b"GET /" + b"a" * 9_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
        (b"GET /livez HTTP/1.1\r\nHost: localhost\r\nExpect: miracles\r\n\r\n", 417),
        (b"GET /livez HTTP/1.1\r\nHost: localhost\r\nExpect: \x80\r\n\r\n", 417),
        (b"POST /sim/down HTTP/1.1\r\nHost: localhost\r\nContent-Type: a/\x80\r\n\r\n", 415),
        (b"GET /livez HTTP/1.1\r\nHost: \x80\r\n\r\n", 403),
        (b"GET /v1/topics/\x80 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
    ],
)
async def test_what_aiohttp_refuses_by_itself_gets_a_document_too(
    kraft: Cluster, sent: bytes, status: int
) -> None:
    """Once these errors were plain text, and bytes that are no HTTP a traceback in the log."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(kraft.http_url.split(":")[2]))
    writer.write(sent)
    head = await reader.readuntil(b"\r\n\r\n")
    document = json.loads(await reader.readline())
    writer.close()

    assert head.split()[1] == str(status).encode()
    assert b"Content-Type: application/json" in head
    assert set(document) == {"errorCode", "error", "message"}
    assert "xpect" in document["message"]


async def test_an_unknown_argument_names_the_nearest(http: Http) -> None:
    refused = await http.get("/v1/log", form=3)

    assert refused.message == "GET /v1/log: expected 'from' (nearest), got 'form'"


async def test_a_missing_argument_names_the_route(http: Http) -> None:
    refused = await http.post("/sim/clock/advance", {})

    assert refused.message == (
        "POST /sim/clock/advance: expected the parameters by, got none of them"
    )


@pytest.mark.parametrize("seed", [2**70, -(2**63)])
async def test_a_number_that_is_too_long_names_the_bound(http: Http, seed: int) -> None:
    refused = await http.post("/sim/reset", {"seed": seed})

    assert refused.refusal == (400, 42, "INVALID_REQUEST")
    assert refused.message == f"seed: expected a whole number of at most 19 characters, got {seed}"


@pytest.mark.parametrize(
    ("verb", "body", "message"),
    [
        ("advance", {"by": True}, "by: expected a text or a number, got True"),
        ("advance", {"by": -1}, "by: expected a duration such as 11s, 250ms or 2m, got -1"),
        ("advance", {"by": float("nan")}, "by: expected a duration such as 11s"),
        ("speed", {"factor": -1}, "factor: expected a number from 0.001 to 1000, got -1"),
        ("speed", {"factor": 5e-324}, "factor: expected a number from 0.001 to 1000, got 5e-324"),
        ("speed", {"factor": 10**400}, "factor: expected a number from 0.001 to 1000"),
        ("speed", {"factor": [2]}, "factor: expected a text or a number, got [2]"),
        ("lock", {"owner": 5}, "owner: expected a text, got 5"),
    ],
)
async def test_a_number_that_is_no_duration_or_factor_is_refused(
    http: Http, verb: str, body: dict[str, object], message: str
) -> None:
    refused = await http.post(f"/sim/clock/{verb}", body)

    assert refused.refusal == (400, 42, "INVALID_REQUEST")
    assert refused.message.startswith(message)


async def test_a_parameter_is_in_the_query_or_in_the_body(http: Http) -> None:
    refused = await http.post("/sim/clock/advance?by=1s", {"by": "2s"})

    assert (refused.status, refused.message) == (
        400,
        "by: expected in the body, got it in the query too",
    )


@pytest.mark.parametrize("body", [{"id": 2}, {"force": True}, {"on": False}])
async def test_a_body_cannot_redirect_a_verb_to_another_broker(
    http: Http, kraft: Cluster, body: dict[str, object]
) -> None:
    refused = await http.post("/sim/brokers/1/kill", body)

    assert refused.status == 400
    assert kraft.world.agents[1].is_alive
    assert kraft.world.agents[2].is_alive


@pytest.mark.parametrize("body", [{"rack": 5}, {"rack": ["a"]}, {"rak": "a"}])
async def test_a_broker_is_not_added_by_mistake(
    http: Http, kraft: Cluster, body: dict[str, object]
) -> None:
    assert (await http.post("/sim/brokers", body)).status == 400
    assert sorted(kraft.world.agents) == [1, 2, 3]


@pytest.mark.parametrize("cursor", ["-1", "x", "1.5", "9" * 5000, "²"])
async def test_a_cursor_that_is_no_number_is_refused(http: Http, cursor: str) -> None:
    stream = {"Accept": "text/event-stream"}
    async with http.session.get(
        http.url + "/v1/events", params={"from": cursor}, headers=stream
    ) as answer:
        assert answer.status == 400


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=8,
)
READS = ("DescribeCluster",)  # these succeed with a body that happens to be right


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_no_body_whatever_is_answered_with_a_fault_of_ours(data: st.DataObject) -> None:
    """Any JSON in any field of any API is answered or refused, never a 500."""
    name = data.draw(st.sampled_from(sorted(set(KAFKA_APIS) - set(READS))))
    fields = [field.json for field in KAFKA_APIS[name].request.struct.fields]
    body = data.draw(st.dictionaries(st.sampled_from(fields), JSON))

    async def answered() -> int:
        cluster = Cluster(brokers=1, clock="virtual", seed=1, http_port=0)
        async with cluster as kraft, ClientSession() as session:
            url = f"{kraft.http_url}/kafka/{name}"
            async with session.post(url, json=body) as answer:
                await answer.json()
                return answer.status

    assert asyncio.run(answered()) in (200, 400, 404, 409)


@pytest.mark.parametrize(
    ("path", "kind"),
    [("/kafka/UnregisterBroker", ApiError), ("/sim/nothing", web.HTTPException)],
)
async def test_nothing_of_a_refused_request_waits_for_the_garbage_collector(
    http: Http, path: str, kind: type[Exception]
) -> None:
    await http.post(path, {"brokerId": 77})
    gc.collect()
    gc.disable()
    try:
        await http.post(path, {"brokerId": 77})
        errors = [kept for kept in gc.get_objects() if isinstance(kept, kind)]
        assert [] == [error for error in errors if error.__traceback__]
    finally:
        gc.enable()
