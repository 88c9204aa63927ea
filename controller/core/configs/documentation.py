"""Short texts about configurations, for DescribeConfigs requests that ask for documentation.

The texts are kraftsim's own: they say what a configuration means, and not what it does here. They
are imported when the first request asks for them. A configuration without a text has none in the
response.
"""

_TEXTS = """\
cleanup.policy: What happens to old segments: they are deleted, compacted by key, or both.
compression.gzip.level: Level of gzip, 1 (fast) to 9 (small); -1 is the codec's default.
compression.lz4.level: Level of lz4, 1 (fast) to 17 (small).
compression.type: Codec of stored batches; `producer` keeps the codec of each producer.
compression.zstd.level: Level of zstd, from -131072 (fast) to 22 (small).
delete.retention.ms: Milliseconds for which a compacted topic keeps the marker of a deleted key.
errors.deadletterqueue.group.enable: Whether groups may use the topic as their dead letter queue.
file.delete.delay.ms: Milliseconds between the removal of a segment from the log and from the disk.
flush.messages: Number of messages after which the log is flushed to the disk.
flush.ms: Milliseconds after which a message is flushed to the disk.
follower.replication.throttled.replicas: PARTITION:BROKER pairs whose fetching followers are \
throttled, or * for every replica.
index.interval.bytes: Bytes of messages between two entries of the offset index.
leader.replication.throttled.replicas: PARTITION:BROKER pairs whose leaders throttle their \
followers, or * for every replica.
local.retention.bytes: Bytes of a partition that stay on the broker with remote storage; -2 is \
retention.bytes.
local.retention.ms: Milliseconds for which segments stay on the broker with remote storage; -2 is \
retention.ms.
max.compaction.lag.ms: Milliseconds after which a message must be compacted.
max.decompressed.message.bytes: Largest size of a batch once it is decompressed, in bytes.
max.message.bytes: Largest batch that a broker accepts, in bytes, after compression.
message.downconversion.enable: Whether brokers convert messages for consumers of old formats.
message.format.version: Format of stored messages, named by a release.
message.timestamp.after.max.ms: How far a message's timestamp may lie after the broker's clock, in \
milliseconds.
message.timestamp.before.max.ms: How far a message's timestamp may lie before the broker's clock, \
in milliseconds.
message.timestamp.difference.max.ms: How far a message's timestamp may differ from the broker's \
clock, in milliseconds.
message.timestamp.type: Whether a message keeps the time of its creation, or gets the time of its \
append.
min.cleanable.dirty.ratio: Share of uncompacted bytes from which a log is compacted.
min.compaction.lag.ms: Milliseconds for which a message is not compacted.
min.insync.replicas: Replicas that must have a message before acks=all acknowledges it. With \
eligible leader replicas, an ISR below this size keeps the brokers that leave it electable.
preallocate: Whether the file of a new segment is allocated at its full size.
remote.copy.lag.bytes: Bytes by which copies to remote storage may lag behind.
remote.copy.lag.ms: Milliseconds by which copies to remote storage may lag behind.
remote.log.copy.disable: Whether copying to remote storage stops; what is there stays readable.
remote.log.delete.on.disable: Whether remote segments are deleted when remote storage is disabled.
remote.storage.enable: Whether segments are copied to remote storage.
retention.bytes: Bytes of a partition before old segments are deleted; -1 is no limit.
retention.ms: Milliseconds before old segments are deleted; -1 is no limit.
segment.bytes: Size of a segment file, in bytes.
segment.index.bytes: Size of the index of a segment, in bytes.
segment.jitter.ms: Greatest random amount by which a segment is rolled earlier, in milliseconds.
segment.ms: Milliseconds after which a segment is rolled even if it is not full.
unclean.leader.election.enable: Whether a replica that is not in sync may lead when no other \
can, which may lose messages.
advertised.listeners: Addresses that clients and other nodes get for each listener.
alter.config.policy.class.name: Policy that accepts or refuses new values of configurations.
auto.leader.rebalance.enable: Whether the controller gives partitions back to their preferred \
leaders.
broker.heartbeat.interval.ms: Milliseconds between two heartbeats of a broker.
broker.id: The same as node.id.
broker.rack: Rack of the broker; new replicas are spread over racks.
broker.session.timeout.ms: Milliseconds without a heartbeat after which a broker is fenced.
controller.listener.names: Names of the listeners at which controllers serve.
controller.quorum.auto.join.enable: Whether an observing controller adds itself to the voters.
controller.quorum.bootstrap.servers: Addresses of controllers, to find the quorum.
controller.quorum.election.backoff.max.ms: Longest wait after a lost election, in milliseconds.
controller.quorum.election.timeout.ms: Milliseconds without a leader after which a voter stands \
for election; drawn between one and two times this value.
controller.quorum.fetch.max.bytes: Bytes of batches that a member asks for in one fetch; a larger \
batch comes alone.
controller.quorum.fetch.snapshot.max.bytes: Bytes of a snapshot that a member asks for at a time.
controller.quorum.fetch.timeout.ms: Milliseconds without an answered fetch after which a follower \
starts an election, and a leader without fetching followers resigns.
controller.quorum.request.timeout.ms: Milliseconds after which a request to another controller has \
failed.
controller.quorum.retry.backoff.ms: Milliseconds before a failed request to a controller is \
repeated.
controller.quorum.voters: Static voters, ID@HOST:PORT each; empty if the log has the voters.
create.topic.policy.class.name: Policy that accepts or refuses new topics.
default.replication.factor: Replicas of a partition if a request names no number.
initial.broker.registration.timeout.ms: Milliseconds after which a broker that could not register \
exits.
inter.broker.listener.name: Listener at which brokers talk to each other.
leader.imbalance.check.interval.seconds: Seconds between two elections of preferred leaders.
listener.security.protocol.map: Security protocol of each listener name.
listeners: Addresses that the node binds, NAME://HOST:PORT each.
metadata.log.max.record.bytes.between.snapshots: Bytes of new records after which a snapshot of \
the metadata is written.
metadata.log.max.snapshot.interval.ms: Milliseconds after which a snapshot of the metadata is \
written if there are new records; 0 is never.
metadata.max.idle.interval.ms: Milliseconds after which the controller writes a record to an idle \
metadata log; 0 is never.
node.id: Id of the node, which no other controller or broker has.
num.partitions: Partitions of a topic if a request names no number.
process.roles: Roles of the node: broker, controller, or both.
unclean.leader.election.interval.ms: Milliseconds between two searches for partitions without a \
leader whose topics allow an unclean election.
consumer.assignment.interval.ms: Shortest time between two assignments of a consumer group, in \
milliseconds.
consumer.assignor.offload.enable: Whether assignments of a consumer group are computed in a thread \
of their own.
consumer.heartbeat.interval.ms: Milliseconds between two heartbeats of a consumer.
consumer.session.timeout.ms: Milliseconds without a heartbeat after which a consumer leaves its \
group.
errors.deadletterqueue.copy.record.enable: Whether the dead letter queue gets the record itself.
errors.deadletterqueue.topic.name: Topic for records that a share group could not process.
share.assignment.interval.ms: Shortest time between two assignments of a share group, in \
milliseconds.
share.assignor.offload.enable: Whether assignments of a share group are computed in a thread of \
their own.
share.auto.offset.reset: Where a share group begins: earliest, latest, or by a duration.
share.delivery.count.limit: How often a record is delivered before it is given up.
share.heartbeat.interval.ms: Milliseconds between two heartbeats of a member of a share group.
share.isolation.level: Whether a share group reads records of transactions that are not committed.
share.partition.max.record.locks: Records of a partition that members of a share group may hold.
share.record.lock.duration.ms: Milliseconds for which a member holds a record.
share.renew.acknowledge.enable: Whether a member may hold a record for longer.
share.session.timeout.ms: Milliseconds without a heartbeat after which a member leaves its share \
group.
streams.acceptable.recovery.lag: Records by which a task may lag and count as caught up.
streams.assignment.interval.ms: Shortest time between two assignments of a streams group, in \
milliseconds.
streams.assignor.name: Assignor of a streams group.
streams.assignor.offload.enable: Whether assignments of a streams group are computed in a thread \
of their own.
streams.heartbeat.interval.ms: Milliseconds between two heartbeats of a member of a streams group.
streams.initial.rebalance.delay.ms: Milliseconds that a new streams group waits for more members.
streams.num.standby.replicas: Standby tasks of each active task.
streams.num.warmup.replicas: Warm-up tasks of a streams group at a time.
streams.rack.aware.assignment.tags: Client tags over which standby tasks are spread.
streams.session.timeout.ms: Milliseconds without a heartbeat after which a member leaves its \
streams group.
streams.task.offset.interval.ms: Milliseconds between two reports of the offsets of tasks.
internal.segment.bytes: Size of a segment file in tests of Kafka, in bytes.
metrics: Names or prefixes of the metrics that matching clients push; * is every metric.
interval.ms: Milliseconds between two pushes of a client's metrics.
match: Clients that push, NAME=PATTERN each.
"""
TEXTS: dict[str, str] = dict(line.split(": ", 1) for line in _TEXTS.splitlines())
"""The texts by name of the configuration."""


def documentation_of(name: str) -> str | None:
    """Returns the text about a configuration, if there is one."""
    return TEXTS.get(name)
