"""Topics and partitions: CreateTopics (19), DeleteTopics (20), AlterPartition (56)."""

TEXT = """\
19 CreateTopics 2-7 flexible 5
 "CreateTopics (19), versions 2 to 7. Version 5 is flexible and describes the created topic,
  version 7 adds its id."
 >
  topics![CreatableTopic
   "A topic to create; -1 partitions or replicas mean the controller's default (rule 4.56)."
   name!:string num_partitions=-1:int32 replication_factor=-1:int16
   assignments[CreatableReplicaAssignment
    "The replicas of one new partition."
    partition_index!:int32 broker_ids!:int32[]]
   configs[CreatableTopicConfigEntry
    "A configuration of a new topic."
    name!:string "name of the configuration" value!?:string "value as text; null is refused"]]
  timeout_ms=60000:int32 validate_only:bool +requester=NOBODY:Requester
 <
  throttle_time_ms:int32
  topics[CreatableTopicResult
   "The result for one topic."
   name!:string topic_id@7-:uuid error_code:int16 error_message?=null:string
   topic_config_error_code@5-#0:int16 "29 if the client may not read the configurations"
   num_partitions@5-=-1:int32 replication_factor@5-=-1:int16
   configs@5-?5(repeats)[CreatableTopicConfig
    "A configuration of a created topic."
    name!:string "name of the configuration"
    value!?5:string "value as text; null if sensitive or unset" read_only:bool config_source=-1:int8
    is_sensitive:bool]]

20 DeleteTopics 1-6 flexible 4
 "DeleteTopics (20), versions 1 to 6. Version 4 is flexible, version 5 adds the error message,
  version 6 accepts topic ids."
 >
  "DeleteTopics (20); `topic_names` in versions 1-5, `topics` (by name or id) in version 6."
  topics@6-[DeleteTopicState
   "A topic to delete, by name or by id."
   name?6=null:string "name of the topic; null if `topic_id` is set"
   topic_id:uuid "id of the topic; zeros if `name` is set"]
  topic_names@-5:string[] "names of the topics" timeout_ms=60000:int32 +requester=NOBODY:Requester
 <
  throttle_time_ms:int32
  responses[DeletableTopicResult
   "The result for one topic."
   name!?6:string "name of the topic; null if unknown" topic_id@6-:uuid error_code:int16
   error_message@5-?5=null:string]

56 AlterPartition 2-3 flexible 0
 "A leader proposes an ISR (rule 4.34). Version 3 sends each member's broker epoch. Gap:
  versions 0 and 1, which name topics and which Kafka 4.x dropped."
 >
  broker_id!:int32 "id of the leader" broker_epoch=-1:int64
  topics![AlterPartitionTopic
   "A topic of an AlterPartition request."
   topic_id!:uuid
   partitions![AlterPartitionData
    "The proposed ISR: `new_isr` in version 2, `new_isr_with_epochs` in version 3."
    partition_index!:int32 leader_epoch!:int32 "epoch of the broker's leadership"
    new_isr@-2:int32[] "ids of the proposed ISR"
    new_isr_with_epochs@3-[AlterPartitionBrokerState
     "A member of the proposed ISR; epoch -1 means 'do not check'."
     broker_id!:int32 broker_epoch=-1:int64 "epoch of the broker's registration; -1 is not checked"]
    leader_recovery_state:int8 partition_epoch!:int32 "partition epoch that the leader knows"]]
 <
  throttle_time_ms:int32 error_code:int16
  topics[AlterPartitionTopicResult
   "A topic of an AlterPartition response."
   topic_id!:uuid
   partitions![AlterPartitionResult
    "The partition after the change; on error the other fields are 0 or empty (rule 4.34)."
    partition_index!:int32 error_code:int16 leader_id:int32 leader_epoch:int32
    isr:int32[] "ids of the in-sync replicas" leader_recovery_state:int8 partition_epoch:int32]]
"""
