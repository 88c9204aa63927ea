"""Configurations are shown with their sources, and changed, by the same verbs everywhere."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from kraftsim import Cluster, CommandError
from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.errors import UnknownBroker
from tests.builders import registration
from tests.kraftsim.conftest import Http, Service
from tests.kraftsim.test_terminal import on_terminal

THROTTLED = "follower.replication.throttled.replicas"


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    service = Service(brokers=2)
    service.do(service.kraft.topics.create("orders", config={"retention.ms": 5}))
    yield service
    service.close()


@pytest.fixture
def url(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KRAFTSIM_HTTP", service.kraft.http_url)


def shown(line: str, run: Any) -> dict[str, Any]:
    code, out, err = run(f"{line} --json")
    assert code == 0, err
    return {row["name"]: row for row in json.loads(out)["configs"]}


def test_a_topic_has_its_own_value_before_those_of_brokers(url: None, run: Any) -> None:
    (row,) = shown("config get topic orders --scope set", run).values()

    assert (row["value"], row["source"]) == ("5", "DYNAMIC_TOPIC_CONFIG")
    assert (row["type"], row["readOnly"], row["sensitive"]) == ("LONG", False, False)
    assert [of["name"] for of in row["synonyms"]] == ["retention.ms"]
    default = shown("config get topic orders", run)["cleanup.policy"]
    assert (default["source"], default["synonyms"]) == (
        "DEFAULT_CONFIG",
        [{"name": "log.cleanup.policy", "value": "delete", "source": "DEFAULT_CONFIG"}],
    )


def test_a_deleted_value_gives_way_to_the_next_level(url: None, run: Any) -> None:
    set_now = shown("config set broker default log.retention.ms=7 message.max.bytes=99", run)
    assert {"log.retention.ms", "message.max.bytes"} <= set_now.keys()
    shown("config set broker 1 message.max.bytes=98", run)
    key = "--key message.max.bytes"

    found = shown(f"config get broker 1 {key}", run)["message.max.bytes"]
    assert (found["value"], found["source"]) == ("98", "DYNAMIC_BROKER_CONFIG")
    assert shown("config set broker 1 --delete message.max.bytes", run) == {}
    found = shown(f"config get broker 1 {key}", run)["message.max.bytes"]
    assert (found["value"], found["source"]) == ("99", "DYNAMIC_DEFAULT_BROKER_CONFIG")


@pytest.mark.parametrize(
    ("of", "key", "text"),
    [
        ("group readers", "consumer.session.timeout.ms", "50000"),
        ("client-metrics mine", "interval.ms", "200"),
        ("topic orders", "cleanup.policy", "compact,delete"),
    ],
)
def test_every_kind_of_resource_is_configured(
    url: None, run: Any, of: str, key: str, text: str
) -> None:
    assert shown(f"config set {of} {key}={text}", run)[key]["value"] == text
    assert key not in shown(f"config set {of} --delete {key}", run)


def test_elements_are_appended_to_a_list_and_subtracted_from_it(url: None, run: Any) -> None:
    topic, key = "config set topic orders", "cleanup.policy"

    both = shown(f"{topic} --append {key}=compact,delete --append {THROTTLED}=0:1,1:2", run)
    assert (both[key]["value"], both[THROTTLED]["value"]) == ("delete,compact", "0:1,1:2")
    fewer = shown(f"{topic} retention.ms=6 --subtract {key}=delete --subtract {THROTTLED}=0:1", run)
    assert (fewer[key]["value"], fewer[THROTTLED]["value"]) == ("compact", "1:2")
    assert fewer["retention.ms"]["value"] == "6"
    shown(f"{topic} retention.ms=5 --delete {key} --delete {THROTTLED}", run)


def test_lists_of_all_brokers_are_changed_likewise(url: None, run: Any) -> None:
    key = "log.cleanup.policy"

    shown(f"config set broker default {key}=compact", run)
    assert shown(f"config set broker default --append {key}=delete", run)[key]["value"] == (
        "compact,delete"
    )
    assert shown(f"config set broker default --subtract {key}=compact", run)[key]["value"] == (
        "delete"
    )
    shown(f"config set broker default --delete {key}", run)


def test_a_sensitive_value_is_hidden(url: None, run: Any) -> None:
    key = "listener.name.internal.ssl.key.password"
    shown(f"config set broker 1 {key}=secret", run)

    found = shown("config get broker 1", run)[key]
    assert (found["value"], found["sensitive"]) == (None, True)
    code, out, _ = run(f"config get broker 1 --key {key}")
    assert (code, "(sensitive)" in out, "secret" in out) == (0, True, False)
    assert "None" not in out


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("config get topics orders", 2, "resource: expected 'topic' (nearest), got 'topics'"),
        ("config get topic orders --scope sets", 2, "scope: expected 'set' (nearest)"),
        ("config get topic ordrs", 1, "no topic 'ordrs': expected 'orders' (nearest)"),
        ("config get topic orders --key retention", 1, "no key 'retention': expected"),
        ("config get broker 9", 1, "no broker 9: expected one of 1, 2"),
        ("config set group \udcff a=1", 2, "name: expected text that UTF-8 can encode, got"),
        ("config set client-metrics m match=\udcff", 2, "values.match: expected text that UTF-8"),
        ("config set topic orders", 2, "expected a value to set (KEY=VALUE), a key to delete, or"),
        ("config set topic orders retention.ms", 2, "expected KEY=VALUE, got 'retention.ms'"),
        ("config set topic orders a=1 --delete a", 2, "expected each key once, got a twice"),
        ("config set topic orders retention.m=1", 1, "'retention.ms' (nearest)"),
        ("config set topic orders retention.ms=x", 1, "Invalid value x for configuration"),
        ("config set broker 1 node.id=5", 1, "Cannot update these configs dynamically: [node.id]"),
        ("config set topic orders --append retention.ms=1", 1, "its type is not LIST"),
        ("config set topic orders --append cleanup=compact", 1, "'cleanup.policy' (nearest)"),
        ("config set topic orders --append cleanup.policy", 2, "expected KEY=VALUE"),
        ("config set topic orders --append cleanup.policy=x", 1, "Invalid value x for"),
        ("config set topic orders a=1 --append a=2", 2, "expected each key once, got a twice"),
        ("config set topic orders --append a=1 --subtract a=2", 2, "key once, got a twice"),
        ("config set broker 1 --append message.max.bytes=1", 1, "append is not allowed for"),
        ("config set client-metrics mine --append metrics=a", 1, "its type is not LIST"),
        ("config set client-metrics mine interval=5", 1, "expected 'interval.ms' (nearest)"),
    ],
)
def test_a_refusal_names_what_was_expected(
    url: None, run: Any, line: str, code: int, message: str
) -> None:
    found, _, err = run(line)

    assert (found, message in err) == (code, True), err


@pytest.mark.slow
@pytest.mark.parametrize("columns", [50, 80, 160])
@pytest.mark.parametrize(
    "line", ["config get topic orders", "config get broker 1", "config set topic orders a=1"]
)
def test_configurations_fit_the_terminal(url: None, line: str, columns: int) -> None:
    printed = on_terminal(line.replace("a=1", "retention.ms=5"), columns, NO_COLOR="1").splitlines()

    assert printed[0].split()[:2] == ["key", "value"]
    assert [text for text in printed if len(text) > columns] == []


async def test_python_and_http_change_and_show_the_same(http: Http, kraft: Cluster) -> None:
    await kraft.topics.create("orders")
    await kraft.configs.set("topic", "orders", {"retention.ms": 5, "preallocate": True})

    await kraft.configs.set("topic", "orders", append={"cleanup.policy": "compact"})

    body = {
        "values": {"retention.bytes": 9},
        "delete": ["preallocate"],
        "append": {THROTTLED: "0:1"},
        "subtract": {"cleanup.policy": "delete"},
    }
    changed = await http.post("/sim/configs/topic/orders/set", body)
    assert (changed.status, {row["name"]: row["value"] for row in changed.document["configs"]}) == (
        200,
        {
            "cleanup.policy": "compact",
            "follower.replication.throttled.replicas": "0:1",
            "retention.bytes": "9",
            "retention.ms": "5",
        },
    )
    whole = (await http.get("/v1/configs/topic/orders")).document
    assert whole == await kraft.configs.get("topic", "orders")
    missing = await http.get("/v1/configs/broker/9")
    assert (missing.status, missing.document["error"]) == (404, "UNKNOWN_BROKER")


async def test_python_refuses_what_no_resource_can_have() -> None:
    async with Cluster(brokers=1, clock="virtual", seed=1) as kraft:
        with pytest.raises(CommandError, match=r"values\.a: expected a text, a number"):
            await kraft.configs.set("broker", "1", {"a": [1]})  # type: ignore[dict-item]
        with pytest.raises(CommandError, match=r"delete: expected keys, such as"):
            await kraft.configs.set("broker", "1", delete="abc")
        with pytest.raises(CommandError, match="expected the name of a topic, got an empty one"):
            await kraft.configs.get("topic", "")
        with pytest.raises(UnknownBroker, match="no broker x: expected one of 1"):
            await kraft.configs.get("broker", "x")
        with pytest.raises(ApiError) as refused:
            await kraft.configs.set("topic", "orders", {"retention.ms": 1})
        assert refused.value.code is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


async def test_of_a_broker_that_is_not_simulated_only_what_the_log_has_is_known() -> None:
    async with Cluster(brokers=1, clock="virtual", seed=1) as kraft:
        await kraft.request(registration(7, cluster_id=kraft.cluster_id))
        await kraft.configs.set("broker", "7", {"log.retention.ms": 3})

        known = (await kraft.configs.get("broker", "7"))["configs"]

        values = {entry["name"]: entry["value"] for entry in known}
        assert values == {"log.retention.ms": "3", "min.insync.replicas": "1"}
        with pytest.raises(ApiError, match="broker 7 is not simulated, and the log has"):
            await kraft.configs.get("broker", "7", "log.dir")


async def test_controllers_and_brokers_describe_the_settings_of_the_cluster() -> None:
    async with Cluster(brokers=1, settings={"log.retention.ms": 7}) as kraft:
        await kraft.topics.create("orders")
        of_topic = await kraft.configs.get("topic", "orders", "retention.ms")
        of_broker = await kraft.configs.get("broker", "1", "log.retention.ms")

    found = [(row["value"], row["source"]) for row in (*of_topic["configs"], *of_broker["configs"])]
    assert found == [("7", "STATIC_BROKER_CONFIG")] * 2
