"""Every method of kafka-python's KafkaAdminClient once, then its producers and consumers."""

import logging
import warnings
from collections.abc import Mapping
from typing import Any

from tests.interop.foreign.python.calling import LIMIT_S, Scene, methods_of

with warnings.catch_warnings():  # Python 3.11 warns, in its own name, of how the schemas are read
    warnings.simplefilter("ignore", DeprecationWarning)
    import kafka
    import kafka.admin as admin_of
    import kafka.errors

# `wait_for_topics` and `get_broker_version_data` send the requests of other methods.
LEFT_OUT = ("close", "wait_for_topics", "get_broker_version_data", "DEFAULT_CONFIG")


def code(error: BaseException) -> int | None:
    """Returns the code of Kafka's error; those of kafka-python itself are negative."""
    found = getattr(error, "errno", None)
    return found if isinstance(found, int) and found > 0 else None


def checked(value: Any) -> Any:
    """Raises the first error that a result has among its values: a class, a code, or a text."""
    for inner in value.values() if isinstance(value, Mapping) else [value]:
        if isinstance(inner, type) and issubclass(inner, kafka.errors.KafkaError):
            if inner is not kafka.errors.NoError:
                raise inner()
        elif isinstance(inner, kafka.errors.KafkaError):
            raise inner
        elif isinstance(inner, Mapping | list | tuple):
            for row in inner.values() if isinstance(inner, Mapping) else inner:
                checked(row)
    if isinstance(value, Mapping) and value.get("error_code"):
        raise kafka.errors.for_code(value["error_code"])()
    return value


def make_calls(scene: Scene) -> None:
    logging.getLogger("kafka").setLevel(logging.CRITICAL)
    admin = kafka.KafkaAdminClient(bootstrap_servers=scene.servers)
    rows = [*_cluster(), *_topics(scene), *_security(scene), *_groups(scene), *_transactions(scene)]
    for name, method, *arguments in rows:
        _call(scene, admin, name, method, *arguments)
    _messages(scene)
    _call(scene, admin, "deleteTopics", "delete_topics", [scene.topic])
    scene.complete(methods_of(kafka.KafkaAdminClient), LEFT_OUT)


def _call(scene: Scene, admin: Any, name: str, method: str, *arguments: Any) -> None:
    scene.call(name, method, lambda: checked(getattr(admin, method)(*arguments)))


def _cluster() -> list[tuple[Any, ...]]:
    return [
        ("apiVersions", "api_versions"),
        ("describeCluster", "describe_cluster"),
        ("describeFeatures", "describe_features"),
        ("updateFeatures", "update_features", {"transaction.version": 2}),
        ("describeMetadataQuorum", "describe_metadata_quorum"),
        ("listConfigResources", "list_config_resources"),
    ]


def _topics(scene: Scene) -> list[tuple[Any, ...]]:
    topic, first = scene.topic, kafka.TopicPartition(scene.topic, 0)

    def resource(value: str | None = None) -> Any:
        configs = None if value is None else {"retention.ms": value}
        return admin_of.ConfigResource(admin_of.ConfigResourceType.TOPIC, topic, configs)

    return [
        ("createTopics", "create_topics", [admin_of.NewTopic(topic, 2, 1)]),
        ("listTopics", "list_topics"),
        ("describeTopics", "describe_topics", [topic]),
        ("describeTopicPartitions", "describe_topic_partitions", [topic]),
        ("createPartitions", "create_partitions", {topic: admin_of.NewPartitions(3)}),
        ("describeConfigs", "describe_configs", [resource()]),
        ("incrementalAlterConfigs", "alter_configs", [resource("60000")]),
        ("resetConfigs", "reset_configs", [resource("60000")]),
        ("electLeaders", "elect_leaders", 0, {topic: [0]}),
        ("alterPartitionReassignments", "alter_partition_reassignments", {first: [scene.target]}),
        ("listPartitionReassignments", "list_partition_reassignments"),
        ("describeLogDirs", "describe_log_dirs"),
        ("alterReplicaLogDirs", "alter_replica_log_dirs", {(topic, 0, scene.target): "/nowhere"}),
        ("deleteRecords", "delete_records", {first: 0}),
        ("listOffsets", "list_partition_offsets", {first: admin_of.OffsetSpec.LATEST}),
    ]


def _security(scene: Scene) -> list[tuple[Any, ...]]:
    words = (
        f"User:{scene.topic}",
        "*",
        admin_of.ACLOperation.READ,
        admin_of.ACLPermissionType.ALLOW,
    )
    pattern = admin_of.ResourcePattern(admin_of.ResourceType.TOPIC, scene.topic)
    mechanism = admin_of.ScramMechanism.SCRAM_SHA_256
    upsertion = admin_of.UserScramCredentialUpsertion(scene.topic, mechanism, "secret", 4096)
    acl_filter = admin_of.ACLFilter(
        *words,
        admin_of.ResourcePatternFilter(
            admin_of.ResourceType.TOPIC, scene.topic, admin_of.ACLResourcePatternType.LITERAL
        ),
    )
    return [
        ("createAcls", "create_acls", [admin_of.ACL(*words, pattern)]),
        ("describeAcls", "describe_acls", acl_filter),
        ("deleteAcls", "delete_acls", [acl_filter]),
        ("alterUserScramCredentials", "alter_user_scram_credentials", [upsertion]),
        ("describeUserScramCredentials", "describe_user_scram_credentials", [scene.topic]),
    ]


def _groups(scene: Scene) -> list[tuple[Any, ...]]:
    group, first = scene.group, kafka.TopicPartition(scene.topic, 0)
    offsets = {first: kafka.OffsetAndMetadata(0, "", -1)}
    return [
        ("listGroups", "list_groups"),
        ("describeConsumerGroups", "describe_groups", [group]),
        ("listConsumerGroupOffsets", "list_group_offsets", {group: None}),
        ("alterConsumerGroupOffsets", "alter_group_offsets", group, offsets),
        (
            "resetConsumerGroupOffsets",
            "reset_group_offsets",
            group,
            {first: admin_of.OffsetSpec.EARLIEST},
        ),
        ("deleteConsumerGroupOffsets", "delete_group_offsets", group, [first]),
        (
            "removeMembersFromConsumerGroup",
            "remove_group_members",
            group,
            [admin_of.MemberToRemove(group_instance_id="member")],
        ),
        ("deleteConsumerGroups", "delete_groups", [group]),
    ]


def _transactions(scene: Scene) -> list[tuple[Any, ...]]:
    first = kafka.TopicPartition(scene.topic, 0)
    return [
        ("listTransactions", "list_transactions"),
        ("describeTransactions", "describe_transactions", [scene.group]),
        ("describeProducers", "describe_producers", [first]),
        ("findHangingTransactions", "find_hanging_transactions"),
        ("abortTransaction", "abort_transaction", admin_of.AbortTransactionSpec(first, 1, 0)),
    ]


def _messages(scene: Scene) -> None:
    def produced(**settings: Any) -> None:
        producer = kafka.KafkaProducer(bootstrap_servers=scene.servers, **settings)
        try:
            if "transactional_id" in settings:
                producer.init_transactions()
                producer.begin_transaction()
            producer.send(scene.topic, b"lost", partition=0).get(LIMIT_S)
        finally:
            producer.close(1)

    def consumed(**settings: Any) -> None:
        consumer = kafka.KafkaConsumer(
            bootstrap_servers=scene.servers, auto_offset_reset="earliest", **settings
        )
        try:
            if settings:
                consumer.subscribe([scene.topic])
            else:
                consumer.assign([kafka.TopicPartition(scene.topic, 0)])
            consumer.poll(1000 * LIMIT_S)
        finally:
            consumer.close()

    plain = {"enable_idempotence": False}
    scene.call("produce", "KafkaProducer", lambda: produced(**plain))
    scene.call("produce with acks=0", "KafkaProducer", lambda: produced(acks=0, **plain))
    scene.call("produce idempotently", "KafkaProducer", produced)
    scene.call(
        "produce in a transaction", "KafkaProducer", lambda: produced(transactional_id=scene.group)
    )
    scene.call("consume", "KafkaConsumer", consumed)
    scene.call("consume in a group", "KafkaConsumer", lambda: consumed(group_id=scene.group))
