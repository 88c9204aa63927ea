"""Registration of brokers: keys 62, 63, 64, and KIP-631's DecommissionBroker."""

TEXT = """\
struct BrokerListener
  "A listener of a registering broker or controller."
  name!:string "name of the listener" host!:string port!:uint16 security_protocol:int16

struct BrokerFeature
  "The levels of a feature that a node supports, both ends included."
  name!:string "name of the feature" min_supported_version!:int16 max_supported_version!:int16

62 BrokerRegistration 0-4 flexible 0
 "A broker registers (rules 1.2, 1.4). Version 1 adds ZooKeeper migration, 2 the log
  directories, 3 the previous epoch; version 4 has the layout of 3 and permits features with a
  minimum of 0. Listeners and features are maps by name (rule 1.19)."
 >
  "BrokerRegistration (62, rule 1.2). `features` of None means 'supports every finalized
   feature' (HTTP only)."
  broker_id!:int32 cluster_id!:string incarnation_id!:uuid listeners(key=name)[BrokerListener]
  features(key=name)=null[BrokerFeature] rack?=null:string is_migrating_zk_broker@1-:bool
  log_dirs@2-:uuid[]
  previous_broker_epoch@3-=-1:int64 "epoch of the last registration; -1 after an unclean shutdown"
 <
  "The granted epoch, or an error."
  throttle_time_ms:int32 error_code:int16
  broker_epoch=-1:int64 "epoch of the new registration; -1 on error"

63 BrokerHeartbeat 0-2 flexible 0
 "A broker renews its lease (rules 2.1, 2.2). Version 1 adds failed log directories, version 2
  cordoned directories (KIP-1066). There are few distinct replies: their bodies are cached."
 >
  broker_id!:int32 broker_epoch=-1:int64
  current_metadata_offset!:int64 "last offset of the metadata log that the broker has applied"
  want_fence!:bool "true if the broker wants to be fenced"
  want_shut_down!:bool "true if the broker wants to shut down (controlled shutdown)"
  offline_log_dirs@1-#0:uuid[] "ids of the log directories that failed (KIP-858)"
  cordoned_log_dirs@2-?2#1=null:uuid[] "ids of directories that take no new replicas (KIP-1066);
   null until the broker is caught up"
 < cached
  "The broker's state; on error all flags have defaults, so `is_fenced` is true (rule 2.2)."
  throttle_time_ms:int32 error_code:int16
  is_caught_up:bool "true if the broker has applied its registration record"
  is_fenced=true:bool "true if the broker is fenced; true on error"
  should_shut_down:bool "true if the broker may shut down now"

64 UnregisterBroker 0-0 flexible 0
 "An operator removes a broker for good (rule 3.1)."
 >
  broker_id!:int32
 <
  "The result; `error_message` is empty on success, never null (rule 3.4)."
  throttle_time_ms:int32 error_code:int16 error_message?:string

-1 DecommissionBroker 0-0 flexible 0
 "DecommissionBroker, of KIP-631's draft. Kafka never shipped it and never numbered it, so it is
  encoded in JSON only, and is not in `APIS`."
 >
  broker_id!:int32 force:bool "true removes even the last replica of a partition"
 <
  throttle_time_ms:int32 error_code:int16 error_message?:string
"""
