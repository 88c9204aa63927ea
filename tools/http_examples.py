"""Writes kraftsim/http/examples.json: the examples of the OpenAPI document.

`python -m tools.http_examples` sends the requests below to a cluster on a virtual clock and records
each request with its response; tests/kraftsim/test_openapi_examples.py fails if an operation has no
example, or if the file differs from the result. A new operation needs a line in `_requests`.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from aiohttp import ClientSession

from kraftsim import Cluster
from kraftsim.controller.core.settings import STANDARD_AUTHORIZER
from kraftsim.http.kafka_json import KAFKA_APIS
from kraftsim.http.openapi import EXAMPLES
from kraftsim.http.paths import kafka_path
from kraftsim.operations.table import OPERATIONS
from kraftsim.own_nodes.beside import beside
from kraftsim.scenarios.document.own_node import OwnNode

EXPORT_MAX = 300  # characters of a file for a viewer in an example
CLUSTER_ID = "kraftsimTestCluster001"
INCARNATION, DIRECTORY = "vbPs2PxWSfKDLAnbUC1bTQ", "2kV3hDqVQ4mLKlFzS9mC0A"
Call = Callable[..., Awaitable[Any]]


async def recorded() -> dict[str, Any]:
    """Returns the examples by the name of their operation: parameters, body and response."""
    examples: dict[str, Any] = {}
    async with (
        Cluster(
            brokers=3,
            controllers=3,
            clock="virtual",
            seed=1,
            cluster_id=CLUSTER_ID,
            racks=("a", "b"),
            settings={"authorizer.class.name": STANDARD_AUTHORIZER},
            http_port=0,
        ) as kraft,
        ClientSession(kraft.http_url) as session,
    ):
        await _requests(partial(_call, session, examples))
    await _node_verbs(examples)
    return {name: examples[name] for name in sorted(examples)}


async def _node_verbs(examples: dict[str, Any]) -> None:
    """Sends the requests about nodes to a cluster that has one; it has no snapshots."""
    operator = OwnNode(main=f"{waits.__module__}:{waits.__name__}", rack="a")
    cluster = Cluster(brokers=1, clock="virtual", seed=1, http_port=0)
    with beside(cluster, {"operator": operator}):
        async with cluster as kraft, ClientSession(kraft.http_url) as session:
            call = partial(_call, session, examples)
            await call("list_nodes")
            for verb in ("pause", "resume", "stop", "kill", "restart"):
                await call(f"{verb}_node", name="operator")
            await call("show_node", name="operator")


async def waits(kraft: Cluster) -> None:
    """The code of the node, which does nothing."""
    await asyncio.Event().wait()


async def _call(
    session: ClientSession, examples: dict[str, Any], name: str, /, **values: object
) -> Any:
    """Sends a request to an operation or an API of Kafka, and records its first response.

    Raises ValueError if it is refused.
    """
    values = {key.rstrip("_"): value for key, value in values.items()}
    method, path = _route(name)
    in_path = {key: values.pop(key) for key in list(values) if f"{{{key}}}" in path}
    query, body = (values, None) if method == "GET" else ({}, values)
    async with session.request(
        method, path.format_map(in_path), params={k: str(v) for k, v in query.items()}, json=body
    ) as answer:
        response = await answer.json()
    if answer.status != 200:
        raise ValueError(f"{name}: expected status 200, got {answer.status}: {response}")
    for lock in response.get("locks", ()):  # in real time: some of a second has passed
        lock["expiresInMs"] = round(lock["expiresInMs"], -3)
    if "stoodStillMs" in response:
        response["stoodStillMs"] = 0  # real time too
    if name == "export_lesson":
        response["text"] = f"{response['text'][:EXPORT_MAX]}..."
    example = {"parameters": in_path | query, "body": body, "response": response}
    if name not in examples:
        examples[name] = {key: value for key, value in example.items() if value is not None}
    return response


def _route(name: str) -> tuple[str, str]:
    if name in KAFKA_APIS:
        return "POST", kafka_path(name)
    operation = next(operation for operation in OPERATIONS if operation.name == name)
    return operation.method, operation.path


async def _requests(call: Call) -> None:
    """Sends the requests, in an order in which each of them succeeds."""
    await _reads(call)
    await _topic_verbs(call)
    await _kafka_requests(call)
    await _broker_verbs(call)
    await _controller_verbs(call)
    await _faults(call)
    await _clock_verbs(call)
    await _snapshots(call)
    await _lessons(call)
    await call("reset", seed=7)
    await call("down")


async def _snapshots(call: Call) -> None:
    await call("save_snapshot", name="before")
    await call("list_snapshots")
    fault = {"proc.crash": {"on": 3}}
    await call("branch_snapshot", name="before", by="1s", fault=fault)
    await call("restore_snapshot", name="before")
    await call("remove_snapshot", name="before")


async def _lessons(call: Call) -> None:
    await call("show_scene")
    await call("show_events_in_words", from_=20, limit=2)
    await call("list_lessons")
    name = "wrong-cluster-id"
    await call("show_story", name=name)
    await call("show_film", name=name, fromUs=10_000_000, toUs=10_000_000)
    await call("show_why", name=name, event=3)
    await call("export_lesson", link=f"lesson={name}&seed=17", format="shiviz")
    await call("steer_lesson", place=f"lesson={name}&seed=17&t=10000000")
    await call("predict_lesson", choice="yes")
    await call("show_lead")
    await call("release_lesson")


async def _reads(call: Call) -> None:
    orders = {"name": "orders", "numPartitions": 1, "replicationFactor": 3}
    await call("CreateTopics", topics=[orders], timeoutMs=30_000, validateOnly=False)
    for name in ("show_cluster", "show_quorum", "list_controllers", "show_log_end", "show_clock"):
        await call(name)
    await call("show_controller", id=3000)
    await call("list_brokers", limit=2)
    await call("show_broker", id=1)
    await call("list_topics", from_="a", limit=10)
    await call("describe_topic", name="orders")
    await call("read_topic", name="orders", partition=0, from_=0, limit=10)
    await call("export_log", name="orders", partition=0, from_=0)  # a batch would have a time
    log = await call("show_log_end")
    await call("show_log", from_=log["highWatermark"] - 3, limit=2)
    await call("list_events", from_=0, limit=2)
    await call("list_requests", api="CreateTopics", where="topics.name=orders", limit=1)
    await call("count_requests", api="CreateTopics", where="topics.name=payments")


async def _topic_verbs(call: Call) -> None:
    name = "payments"
    config = {"retention.ms": 3_600_000}
    await call("create_topic", name=name, assignments=[[1, 2], [2, 3]], config=config)
    await call("alter_topic", name=name, partitions=3)
    await call("get_config", resource="topic", name=name, key="retention.ms")
    policy = {"cleanup.policy": "compact"}
    size = {"max.message.bytes": 2_000_000}
    await call("set_config", resource="topic", name=name, values=size, append=policy)
    await call("start_reassignment", name=name, replicas={"0": [3, 1]})
    await call("list_reassignments")
    await call("cancel_reassignment", name=name)
    await call("elect_leaders", name=name, partition=0)
    await call("write_topic", name=name, lines=["1:paid", "2:refused"], keySeparator=":")
    await call("delete_topic", name=name)


async def _kafka_requests(call: Call) -> None:
    await call("DescribeCluster", includeFencedBrokers=True)
    metadata = {"topicName": "__cluster_metadata", "partitions": [{"partitionIndex": 0}]}
    await call("DescribeQuorum", topics=[metadata])
    await call("UpdateFeatures", timeoutMs=30_000, featureUpdates=[], validateOnly=True)
    await _shrunk_isr(call)
    await _partition_requests(call)
    await _registrations(call)
    await call("UnregisterBroker", brokerId=9)
    await call("DeleteTopics", topics=[{"name": "orders"}], timeoutMs=30_000)
    await _voters(call)
    await _acls(call)
    await call("UnregisterController", controllerId=3001)


async def _shrunk_isr(call: Call) -> None:
    """The leader of the partition removes a follower from the ISR."""
    topic = await call("describe_topic", name="orders")
    (partition,) = topic["partitions"]
    leader = await call("show_broker", id=partition["leader"])
    change = {
        "partitionIndex": 0,
        "leaderEpoch": partition["leaderEpoch"],
        "newIsrWithEpochs": [
            {"brokerId": leader["brokerId"], "brokerEpoch": leader["brokerEpoch"]}
        ],
        "leaderRecoveryState": 0,
        "partitionEpoch": partition["partitionEpoch"],
    }
    await call(
        "AlterPartition",
        brokerId=leader["brokerId"],
        brokerEpoch=leader["brokerEpoch"],
        topics=[{"topicId": topic["topicId"], "partitions": [change]}],
    )


async def _partition_requests(call: Call) -> None:
    grown = {"name": "orders", "count": 2, "assignments": [{"brokerIds": [1, 2, 3]}]}
    await call("CreatePartitions", topics=[grown], timeoutMs=30_000, validateOnly=False)
    partitions = [{"topic": "orders", "partitions": [1]}]
    await call("ElectLeaders", electionType=0, topicPartitions=partitions, timeoutMs=30_000)
    moved = {"partitionIndex": 1, "replicas": [1, 2]}
    topics = [{"name": "orders", "partitions": [moved]}]
    await call("AlterPartitionReassignments", topics=topics)
    await call("ListPartitionReassignments", topics=None)
    broker = await call("show_broker", id=1)
    sender = {"brokerId": 1, "brokerEpoch": broker["brokerEpoch"]}
    await call("AllocateProducerIds", **sender)
    await call("AssignReplicasToDirs", **sender, directories=[])


async def _registrations(call: Call) -> None:
    cluster = await call("show_cluster")
    features = [
        {"name": name, "minSupportedVersion": min(level, 1), "maxSupportedVersion": level}
        for name, level in cluster["finalizedFeatures"].items()
    ]
    listener = {"name": "PLAINTEXT", "host": "127.0.0.1", "port": 9100, "securityProtocol": 0}
    registered = await call(
        "BrokerRegistration",
        brokerId=9,
        clusterId=CLUSTER_ID,
        incarnationId=INCARNATION,
        listeners=[listener],
        features=features,
        rack="a",
        logDirs=[DIRECTORY],
    )
    await call(
        "BrokerHeartbeat",
        brokerId=9,
        brokerEpoch=registered["brokerEpoch"],
        currentMetadataOffset=registered["brokerEpoch"],
        wantFence=True,
        wantShutDown=False,
    )
    await call(
        "ControllerRegistration",
        controllerId=3002,
        incarnationId=INCARNATION,
        listeners=[listener | {"name": "CONTROLLER", "port": 9101}],
        features=features,
    )


async def _acls(call: Call) -> None:
    """Alice may read the topics that begin with orders; then nobody may."""
    entry = {
        "resourceType": 2,
        "resourceName": "orders",
        "resourcePatternType": 4,
        "principal": "User:alice",
        "host": "*",
        "operation": 3,
        "permissionType": 3,
    }
    of_orders = {
        "resourceTypeFilter": 2,
        "resourceNameFilter": "orders",
        "patternTypeFilter": 1,
        "principalFilter": None,
        "hostFilter": None,
        "operation": 1,
        "permissionType": 1,
    }
    await call("CreateAcls", creations=[entry])
    await call("DescribeAcls", **of_orders)
    await call("DeleteAcls", filters=[of_orders])


async def _voters(call: Call) -> None:
    """A follower updates its endpoint, leaves the voters and joins them again."""
    quorum = await call("show_quorum")
    voter = next(node for node in quorum["voters"] if node["nodeId"] != quorum["leaderId"])
    same = {"voterId": voter["nodeId"], "voterDirectoryId": voter["directoryId"]}
    host, _, port = voter["endpoint"].partition(":")
    listeners = [{"name": "CONTROLLER", "host": host, "port": int(port)}]
    await call(
        "UpdateRaftVoter",
        clusterId=CLUSTER_ID,
        currentLeaderEpoch=quorum["leaderEpoch"],
        **same,
        listeners=listeners,
        kRaftVersionFeature={"minSupportedVersion": 0, "maxSupportedVersion": 1},
    )
    await call("RemoveRaftVoter", clusterId=CLUSTER_ID, **same)
    await call("AddRaftVoter", clusterId=CLUSTER_ID, timeoutMs=30_000, **same, listeners=listeners)


async def _broker_verbs(call: Call) -> None:
    await call("add_broker", rack="b")
    await call("wait", broker=4, state="unfenced", timeout="20s")
    for verb in ("mute", "unmute", "deafen", "undeafen", "pause", "resume", "stop"):
        await call(f"{verb}_broker", id=2)
    await call("restart_broker", id=2)
    await call("install_broker", id=2, profile="kafka-4.4")
    await call("kill_broker", id=4)
    await call("DecommissionBroker", brokerId=4, force=False)


async def _controller_verbs(call: Call) -> None:
    await call("transfer_leadership", to=3001, timeout="20s")
    for verb in ("pause", "resume", "kill", "start"):
        await call(f"{verb}_controller", id=3002)
    await call("install_controller", id=3002, profile="kafka-4.4")


async def _faults(call: Call) -> None:
    await call("show_fault_catalog")
    dropped = {"rpc.drop": {"api": "BrokerHeartbeat", "broker": 1, "count": 1}}
    fault = await call("add_fault", fault=dropped)
    await call("wait_for_fault", id=fault["id"], hits=1, timeout="20s")
    await call("show_fault", id=fault["id"])
    await call("list_faults")
    await call("remove_fault", id=fault["id"])
    held = await call("add_fault", fault={"rpc.hold": {"api": "BrokerHeartbeat", "broker": 1}})
    await call("wait_for_fault", id=held["id"], hits=1, timeout="20s")
    await call("list_held")
    await call("release_fault", id=held["id"], message=1)


async def _clock_verbs(call: Call) -> None:
    await call("kill_broker", id=3)
    fenced = await call("run_clock_until", kind="broker_fenced", broker=3, timeout="20s")
    await call("explain", event=fenced["seq"])
    await call("advance_clock", by="11s")
    await call("pause_clock")
    await call("resume_clock")
    await call("lock_clock", owner="my-test", expiry="30s")
    await call("unlock_clock", owner="my-test")
    await call("speed_clock", factor=10)


def render() -> str:
    """Returns the text of the file."""
    return json.dumps(asyncio.run(recorded()), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    EXAMPLES.write_text(render(), "utf-8")
