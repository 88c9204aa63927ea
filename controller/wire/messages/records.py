"""The records of Kafka's metadata log that 3.9.1, 4.1.1, 4.3.1 or 4.4.0 writes."""

TEXT = """\
const NO_LEADER = -1
const NO_LEADER_CHANGE = -2 "the leader stays (rule 4.2)"
const RECOVERED = 0
const RECOVERING = 1
const NO_RECOVERY_CHANGE = -1
const FENCE = 1
const UNFENCE = -1
const NO_FENCING_CHANGE = 0
const IN_CONTROLLED_SHUTDOWN = 1
const NO_SHUTDOWN_CHANGE = 0
const TOPIC_RESOURCE = 2
const BROKER_RESOURCE = 4

struct Endpoint
  "A listener of a broker or controller."
  name!:string "name of the listener" host!:string port!:uint16 security_protocol:int16

struct FeatureRange
  "The levels of a feature that a node supports, both ends included."
  name!:string "name of the feature" min_supported_version!:int16 max_supported_version!:int16

record 0 RegisterBrokerRecord 0-4
  "Registers a broker, or amends its registration. `start_time_ms` is an extension of this
   project (KIP-436): a high tagged field that Kafka's readers skip."
  broker_id!:int32 is_migrating_zk_broker@2-:bool incarnation_id!:uuid broker_epoch!:int64
  end_points![Endpoint] features![FeatureRange] rack?=null:string
  fenced=true:bool "true if the broker is fenced"
  in_controlled_shutdown@1-:bool "true if the broker shuts down (controlled shutdown)"
  log_dirs@3-#0:uuid[] cordoned_log_dirs@4-?4#1=null:uuid[] start_time_ms#10000:int64

record 1 UnregisterBrokerRecord 0-0
  "Removes a broker's registration."
  broker_id!:int32 broker_epoch!:int64

record 2 TopicRecord 0-0
  "Creates a topic."
  name!:string topic_id!:uuid

record 3 PartitionRecord 0-2
  "Creates a partition."
  partition_id!:int32 topic_id!:uuid replicas!:int32[] isr!:int32[] removing_replicas:int32[]
  adding_replicas:int32[] leader!:int32 "id of the leader; -1 if there is none"
  leader_recovery_state#0:int8 leader_epoch:int32 partition_epoch:int32
  directories@1-:uuid[] "id of each replica's directory, in the order of `replicas` (KIP-858)"
  eligible_leader_replicas@2-?2#1=null:int32[] last_known_elr@2-?2#2=null:int32[]

record 4 ConfigRecord 0-0
  "Sets a configuration of a topic or broker; a `value` of None removes it."
  resource_type!:int8 "2 topic, 4 broker, 16 client metrics, 32 group" resource_name!:string
  name!:string "name of the configuration"
  value!?:string "value as text; null removes the configuration"

record 5 PartitionChangeRecord 0-2
  "Changes a partition; a field that is None (or its 'no change' number) keeps its value."
  partition_id!:int32 topic_id!:uuid isr?#0=null:int32[]
  leader#1=-2:int32 "id of the new leader; -1 is no leader, -2 keeps leader and epoch"
  replicas?#2=null:int32[] removing_replicas?#3=null:int32[] adding_replicas?#4=null:int32[]
  leader_recovery_state#5=-1:int8
  directories@1-?1#8=null:uuid[] "id of each replica's directory, in the order of the replicas; null
   if unchanged"
  eligible_leader_replicas@2-?2#6=null:int32[] last_known_elr@2-?2#7=null:int32[]

record 7 FenceBrokerRecord 0-0
  "Fences a broker, before metadata.version 3.3-IV2 (rule 2.21)."
  id!:int32 "id of the broker" epoch!:int64 "epoch of the broker's registration"

record 8 UnfenceBrokerRecord 0-0
  "Unfences a broker, before metadata.version 3.3-IV2."
  id!:int32 "id of the broker" epoch!:int64 "epoch of the broker's registration"

record 9 RemoveTopicRecord 0-0
  "Deletes a topic."
  topic_id!:uuid

record 10 DelegationTokenRecord 0-0
  "Creates or renews a delegation token; timestamps are in milliseconds."
  owner!:string "principal that the token authenticates"
  requester!:string "principal that created the token"
  renewers!:string[] "principals that may renew the token" issue_timestamp!:int64
  max_timestamp!:int64
  expiration_timestamp!:int64 "when the token expires, in milliseconds since the epoch"
  token_id!:string

record 11 UserScramCredentialRecord 0-0
  "Sets a user's SCRAM credential."
  name!:string "name of the user" mechanism!:int8 salt!:bytes
  stored_key!:bytes "StoredKey of RFC 5802, against which the server checks a client's proof"
  server_key!:bytes "ServerKey of RFC 5802, with which the server proves itself to a client"
  iterations!:int32

record 12 FeatureLevelRecord 0-0
  "Finalizes a feature at a level; 0 removes it."
  name!:string "name of the feature" feature_level!:int16 "finalized level; 0 removes the feature"

record 14 ClientQuotaRecord 0-0
  "Sets or removes a client quota."
  entity![QuotaEntity
   "An entity that a client quota applies to; a name of None is the default entity."
   entity_type!:string entity_name!?:string]
  key!:string "name of the quota, such as producer_byte_rate"
  value!:float64 "value of the quota; ignored by a removal" remove!:bool "true removes the quota"

record 15 ProducerIdsRecord 0-0
  "Grants a broker a block of producer ids, which ends before `next_producer_id`."
  broker_id!:int32 broker_epoch!:int64 next_producer_id!:int64 "first producer id after the block"

record 17 BrokerRegistrationChangeRecord 0-3
  "Changes a registration: fencing, controlled shutdown, directories."
  broker_id!:int32 broker_epoch!:int64 fenced#0:int8 "1 fences, -1 unfences, 0 changes nothing"
  in_controlled_shutdown@1-#1:int8 "1 begins a controlled shutdown, 0 changes nothing"
  log_dirs@2-#2:uuid[] "ids of the online log directories; empty if unchanged"
  cordoned_log_dirs@3-?3#3=null:uuid[] "ids of directories that take no new replicas; null if
   unchanged"

record 18 AccessControlEntryRecord 0-0
  "Adds an access control entry."
  id!:uuid "id of the entry"
  resource_type!:int8 "2 topic, 3 group, 4 cluster, 5 transactional id, 6 token, 7 user"
  resource_name!:string pattern_type!:int8 principal!:string
  host!:string "IP address of the client; * is every address" operation!:int8 permission_type!:int8

record 19 RemoveAccessControlEntryRecord 0-0
  "Removes an access control entry."
  id!:uuid "id of the entry"

record 20 NoOpRecord 0-0
  "Changes nothing but the log's end offset."

record 21 ZkMigrationStateRecord 0-0
  "The state of a migration from ZooKeeper."
  zk_migration_state!:int8 "0 none, 1 before the migration, 2 during the migration, 3 after the
   migration"

record 22 RemoveUserScramCredentialRecord 0-0
  "Removes a user's SCRAM credential."
  name!:string "name of the user" mechanism!:int8

record 23 BeginTransactionRecord 0-0
  "Begins a metadata transaction."
  name?#0=null:string "name of the transaction, or null"

record 24 EndTransactionRecord 0-0
  "Commits the open metadata transaction."

record 25 AbortTransactionRecord 0-0
  "Aborts the open metadata transaction."
  reason?#0=null:string

record 26 RemoveDelegationTokenRecord 0-0
  "Removes a delegation token."
  token_id!:string

record 27 RegisterControllerRecord 0-0
  "Registers a controller's listeners and features."
  controller_id!:int32 incarnation_id!:uuid zk_migration_ready:bool end_points![Endpoint]
  features![FeatureRange]

record 28 ClearElrRecord 0-0
  "Clears the ELR of a topic's partitions, of all topics if the name is empty (rule 4.23)."
  topic_name!:string "name of the topic; empty for every topic"

record 29 UnregisterControllerRecord 0-0
  "Removes a controller's registration."
  controller_id!:int32
"""
