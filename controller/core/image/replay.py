"""How each record of the log changes the image: one function for each record type, in one table.

`apply` is the only code that changes an image. It raises `Impossible` for a record that no correct
log contains.
"""

from collections.abc import Callable
from dataclasses import replace

from ..errors import Impossible
from ..log import records as r
from ..log.control_records import ControlRecord, KRaftVersion
from .broker import BrokerRegistration, amended_by, registration_of
from .image import KEPT, REMOVED_BY, Image, Key
from .partition import Topic, changed, partition_of, without_elr


def _register_broker(
    image: Image, record: r.RegisterBrokerRecord, offset: int, timestamp_ms: int
) -> None:
    old = image.brokers.get(record.broker_id)
    if old is not None:
        _disown(image, old)
        image.is_settled &= old.incarnation_id != record.incarnation_id
    for directory in record.log_dirs:
        owner = image.directories.setdefault(directory, record.broker_id)
        if owner != record.broker_id:
            raise Impossible(f"directory of {record.broker_id} belongs to {owner}")
    image.own_brokers()[record.broker_id] = registration_of(record, old, offset, timestamp_ms)


def _disown(image: Image, broker: BrokerRegistration) -> None:
    for directory in broker.log_dirs:
        image.directories.pop(directory, None)


def _unregister_broker(image: Image, record: r.UnregisterBrokerRecord, *_: int) -> None:
    _disown(image, _current(image, record.broker_id, record.broker_epoch))
    del image.own_brokers()[record.broker_id]


def _current(image: Image, broker_id: int, broker_epoch: int) -> BrokerRegistration:
    broker: BrokerRegistration | None = image.brokers.get(broker_id)
    if broker is None:
        raise Impossible(f"broker {broker_id} is not registered")
    if broker.broker_epoch != broker_epoch:
        raise Impossible(f"epoch {broker.broker_epoch}, not {broker_epoch}")
    return broker


def _change_registration(image: Image, record: r.BrokerRegistrationChangeRecord, *_: int) -> None:
    broker = _current(image, record.broker_id, record.broker_epoch)
    if record.log_dirs:
        _disown(image, broker)
        image.directories.update(dict.fromkeys(record.log_dirs, record.broker_id))
    image.is_settled = record.fenced == r.UNFENCE or (
        image.is_settled and not _changes_directories(record)
    )
    image.own_brokers()[record.broker_id] = amended_by(broker, record)


def _changes_directories(record: r.BrokerRegistrationChangeRecord) -> bool:
    """True if a registration change record sets the online directories (rule 2.30).

    A record without any other field sets them to none.
    """
    return not (record.fenced or record.in_controlled_shutdown or record.cordoned_log_dirs)


def _fence_broker(image: Image, record: r.FenceBrokerRecord, *_: int) -> None:
    broker = _current(image, record.id, record.epoch)
    image.own_brokers()[record.id] = replace(broker, fenced=True)


def _unfence_broker(image: Image, record: r.UnfenceBrokerRecord, *_: int) -> None:
    broker = _current(image, record.id, record.epoch)
    image.own_brokers()[record.id] = replace(broker, fenced=False)
    image.is_settled = True


def _topic(image: Image, record: r.TopicRecord, *_: int) -> None:
    image.put_topic(Topic(record.name, record.topic_id))
    image.topic_ids[record.name] = record.topic_id
    image.names.add(record.name)


def _remove_topic(image: Image, record: r.RemoveTopicRecord, offset: int, _: int) -> None:
    topic = image.topics.pop(record.topic_id)
    image.own_topics.discard(record.topic_id)
    del image.topic_ids[topic.name]
    image.names.remove(topic.name)
    image.configs.pop((r.TOPIC_RESOURCE, topic.name), None)
    for partition_id, partition in topic.partitions.items():
        image.index.change((record.topic_id, partition_id), partition, None)
    image.partitions_offset = offset


def _partition(image: Image, record: r.PartitionRecord, offset: int, _: int) -> None:
    partitions = image.own_topic(record.topic_id).partitions
    key = (record.topic_id, record.partition_id)
    old = partitions.get(record.partition_id)
    new = partitions[record.partition_id] = partition_of(record)
    image.index.change(key, old, new)
    image.partitions_offset = offset


def _change_partition(image: Image, record: r.PartitionChangeRecord, offset: int, _: int) -> None:
    partition_id = record.partition_id
    partitions = image.own_topic(record.topic_id).partitions
    old = partitions[partition_id]
    image.is_settled &= (
        record.replicas is None
        and record.directories is None
        and record.removing_replicas is None
        and record.adding_replicas is None
    )
    new = partitions[partition_id] = changed(old, record)
    image.index.change((record.topic_id, partition_id), old, new)
    image.partitions_offset = offset


def _clear_elr(image: Image, record: r.ClearElrRecord, offset: int, _: int) -> None:
    image.is_settled = False
    image.partitions_offset = offset
    names = [record.topic_name] if record.topic_name else list(image.topic_ids)
    for topic_id in (image.topic_ids[name] for name in names):
        for partition_id, old in image.topics[topic_id].partitions.items():
            if old.elr or old.last_known_elr:
                new = without_elr(old)
                image.own_topic(topic_id).partitions[partition_id] = new
                image.index.change((topic_id, partition_id), old, new)


def _config(image: Image, record: r.ConfigRecord, *_: int) -> None:
    if not image.keeps_config(record.resource_type, record.name):
        return
    resource = (record.resource_type, record.resource_name)
    image.is_settled = False
    values = {**image.configs.get(resource, {}), record.name: record.value}
    present = {name: value for name, value in values.items() if value is not None}
    if present:
        image.configs[resource] = present  # a new dictionary: copies of the image share the old one
    else:
        image.configs.pop(resource, None)


def _feature_level(image: Image, record: r.FeatureLevelRecord, offset: int, _: int) -> None:
    if record.feature_level == 0:
        image.features.pop(record.name, None)
    else:
        image.features[record.name] = record.feature_level
    image.features_offset = offset
    image.is_settled = False


def _register_controller(image: Image, record: r.RegisterControllerRecord, *_: int) -> None:
    image.controllers[record.controller_id] = record


def _unregister_controller(image: Image, record: r.UnregisterControllerRecord, *_: int) -> None:
    del image.controllers[record.controller_id]


def _producer_ids(image: Image, record: r.ProducerIdsRecord, *_: int) -> None:
    image.next_producer_id = record.next_producer_id


def _client_quota(image: Image, record: r.ClientQuotaRecord, *_: int) -> None:
    quotas = dict(image.client_quotas.get(record.entity, {}))
    if record.remove:
        quotas.pop(record.key, None)
    else:
        quotas[record.key] = record.value
    if quotas:
        image.client_quotas[record.entity] = quotas
    else:
        image.client_quotas.pop(record.entity, None)


def _keep(image: Image, record: r.Record, *_: int) -> None:
    kind = type(record)
    image.kept_records[kind][_key(record, kind)] = record


def _remove_kept(image: Image, record: r.Record, *_: int) -> None:
    kind = REMOVED_BY[type(record)]
    image.kept_records[kind].pop(_key(record, kind), None)


def _key(record: r.Record, kind: type[r.Record]) -> Key:
    return tuple(getattr(record, name) for name in KEPT[kind])


def _begin_transaction(image: Image, record: r.BeginTransactionRecord, offset: int, _: int) -> None:
    if image.open_transaction is not None:
        raise Impossible(f"nested in {image.open_transaction}")
    image.open_transaction = record.name or ""
    image.transaction_offset = offset


def _end_transaction(image: Image, record: r.EndTransactionRecord, offset: int, _: int) -> None:
    image.open_transaction = None
    if image.features_offset > image.transaction_offset:
        image.features_offset = offset  # the transaction's changes become visible here (rule 5.53)


def _abort_transaction(image: Image, *_: object) -> None:
    image.open_transaction = None


def _nothing(*_: object) -> None:
    """A NoOp changes only the offset; the image does not keep ZooKeeper's migration state."""


APPLIERS: dict[type, Callable[..., None]] = {
    **dict.fromkeys(KEPT, _keep),
    **dict.fromkeys(REMOVED_BY, _remove_kept),
    r.RegisterBrokerRecord: _register_broker,
    r.UnregisterBrokerRecord: _unregister_broker,
    r.BrokerRegistrationChangeRecord: _change_registration,
    r.FenceBrokerRecord: _fence_broker,
    r.UnfenceBrokerRecord: _unfence_broker,
    r.TopicRecord: _topic,
    r.RemoveTopicRecord: _remove_topic,
    r.PartitionRecord: _partition,
    r.PartitionChangeRecord: _change_partition,
    r.ClearElrRecord: _clear_elr,
    r.ConfigRecord: _config,
    r.FeatureLevelRecord: _feature_level,
    r.RegisterControllerRecord: _register_controller,
    r.UnregisterControllerRecord: _unregister_controller,
    r.ProducerIdsRecord: _producer_ids,
    r.ClientQuotaRecord: _client_quota,
    r.BeginTransactionRecord: _begin_transaction,
    r.EndTransactionRecord: _end_transaction,
    r.AbortTransactionRecord: _abort_transaction,
    r.NoOpRecord: _nothing,
    r.ZkMigrationStateRecord: _nothing,
}


def apply(
    image: Image, record: r.Record, *, offset: int, epoch: int = 0, timestamp_ms: int = 0
) -> None:
    """Change `image` by the record at `offset`.

    Raises `Impossible` if `offset` is not above the image's offset.
    """
    if offset <= image.offset:
        raise Impossible(f"record {offset} after {image.offset}")
    APPLIERS[type(record)](image, record, offset, timestamp_ms)
    image.offset = offset
    image.epoch = epoch


def apply_control(image: Image, record: ControlRecord, *, offset: int, epoch: int) -> None:
    """Change `image` by a control record; only kraft.version changes it (rule 1.7)."""
    if isinstance(record, KRaftVersion):
        image.kraft_version = record.kraft_version
    image.offset, image.epoch = offset, epoch
