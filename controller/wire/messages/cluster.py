"""Requests about the cluster as a whole: Metadata (3), ApiVersions (18), DescribeCluster (60)."""

TEXT = """\
const OPERATIONS_ABSENT = -2147483648 "authorized operations were not requested (rule 5.11)"
const BROKER_ENDPOINT = 1
const CONTROLLER_ENDPOINT = 2

3 Metadata 0-13 flexible 9
 "A client's first request to a broker. Only brokers offer it (rule 5.2). Version 0 asks for
  every topic with an empty list, later ones with null. Version 9 is flexible; version 10 adds
  topic ids to the response, 12 to the request; 13 adds the top-level error."
 >
  "Metadata (3); `topics` of None requests all topics, an empty tuple none."
  topics?1(empty_is_null_before=1)=null[MetadataRequestTopic
   "A topic, by name or by id."
   topic_id@10-:uuid "id of the topic; zeros if `name` is set"
   name?10=null:string "name of the topic; null if `topic_id` is set"]
  allow_auto_topic_creation@4-=true:bool
   "true permits the broker to create missing topics, as versions 0 to 3 do"
  include_cluster_authorized_operations@8-10:bool
  include_topic_authorized_operations@8-:bool "true requests the permitted operations on topics"
 < shared
  "The brokers and topics of the cluster."
  throttle_time_ms@3-:int32
  brokers[MetadataBroker
   "One live broker."
   node_id!:int32 host!:string port!:int32 rack@1-?1=null:string
   start_time_ms@9-#10000(on_demand):int64]
  cluster_id@2-?2=null:string "id of the cluster"
  controller_id@1-=-1:int32 "id of a random unfenced broker (rule 5.40); -1 if there is none"
  topics[MetadataTopic
   "One topic and its partitions."
   error_code:int16 name!?12:string "name of the topic; null if unknown" topic_id@10-:uuid
   is_internal@1-:bool
   partitions[MetadataPartition
    "The leader and replicas of one partition."
    error_code:int16 partition_index!:int32 leader_id!:int32 leader_epoch@7-=-1:int32
    replica_nodes:int32[] isr_nodes:int32[] offline_replicas@5-:int32[]]
   topic_authorized_operations@8-=OPERATIONS_ABSENT:int32]
  cluster_authorized_operations@8-10=OPERATIONS_ABSENT:int32 error_code@13-:int16

18 ApiVersions 0-5 flexible 3
 "The APIs of a listener; the first request of a connection. The response has header version 0
  in every version, because the client does not yet know the listener's versions (rule 5.47).
  Version 4 has the layout of 3, and may list features with a minimum of 0. Version 5 (KIP-1242)
  names the intended cluster and node; only the profile of Kafka 4.4 supports it."
 >
  "ApiVersions (18). `cluster_id` and `node_id` name the intended server; both are set or
   neither (KIP-1242)."
  client_software_name@3-:string "name of the client's library (KIP-511)"
  client_software_version@3-:string "version of the client's library"
  cluster_id@5-?5=null:string "id of the intended cluster; null if not set"
  node_id@5-=-1:int32 "id of the intended node; -1 if not set"
 < shared
  "The APIs and features of the server."
  error_code:int16
  api_keys[ApiVersion
   "The versions of one API that the server supports."
   api_key!:int16 min_version!:int16 max_version!:int16]
  throttle_time_ms@1-:int32
  supported_features@3-#0[SupportedFeatureKey
   "The levels of one feature that the server supports."
   name!:string "name of the feature" min_version!:int16 max_version!:int16]
  finalized_features_epoch@3-#1=-1:int64 "offset of the last change of a feature; -1 if unknown"
  finalized_features@3-#2[FinalizedFeatureKey
   "The finalized level of one feature."
   name!:string "name of the feature" max_version_level!:int16 "finalized level"
   min_version_level!:int16 "equal to the finalized level"]
  zk_migration_ready@3-#3:bool

60 DescribeCluster 0-2 flexible 0
 "The nodes of the cluster (rules 5.5, 5.6). Version 1 adds the endpoint type (controllers
  answer too), version 2 fenced brokers. A broker's start time (KIP-436, never shipped) is a
  tagged field that Kafka's readers skip, written on demand only."
 >
  include_cluster_authorized_operations:bool endpoint_type@1-=1:int8
  include_fenced_brokers@2-:bool "true requests fenced brokers too"
 < shared
  "The nodes of the cluster."
  throttle_time_ms:int32 error_code:int16 error_message?=null:string
  endpoint_type@1-=1:int8 "type of the described nodes: 1 brokers, 2 controllers"
  cluster_id:string "id of the cluster"
  controller_id=-1:int32 "id of the active controller, or of a random unfenced broker if a broker
   replies (rules 5.14, 5.16); -1 if there is none"
  brokers[DescribeClusterBroker
   "One node of the cluster. `start_time_ms` (KIP-436) is always in HTTP replies, on the wire
    only if requested."
   broker_id!:int32 "id of the broker or controller" host!:string port!:int32 rack?=null:string
   is_fenced@2-:bool start_time_ms#10000(on_demand):int64]
  cluster_authorized_operations=OPERATIONS_ABSENT:int32
"""
