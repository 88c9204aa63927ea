"""Features of the cluster and its controllers: UpdateFeatures (57), ControllerRegistration (70)."""

TEXT = """\
57 UpdateFeatures 0-2 flexible 0
 "Changes finalized levels (KIP-584; rule 5.54). Version 1 adds the type of a downgrade and
  `validate_only`; version 2 has no results for single features. Kafka 3.9 supports versions up
  to 1, Kafka 4.x up to 2."
 >
  timeout_ms=60000:int32
  feature_updates(key=feature)[FeatureUpdate
   "A new level; `upgrade_type`: 1 upgrade, 2 safe downgrade, 3 unsafe downgrade (rule 5.54)."
   feature!:string max_version_level!:int16 "new finalized level; below 1 removes the feature"
   allow_downgrade@-0:bool "true permits a lower level (version 0)"
   upgrade_type@1-=1:int8 "1 upgrade, 2 safe downgrade, 3 unsafe downgrade"]
  validate_only@1-:bool
 <
  "The result of an UpdateFeatures request."
  throttle_time_ms:int32 error_code:int16 error_message?:string
  results@-1(key=feature)[UpdatableFeatureResult
   "The result for one feature."
   feature!:string error_code:int16 error_message?:string]

70 ControllerRegistration 0-0 flexible 0
 "A controller's listeners and features. Both are encoded as in BrokerRegistration (KIP-919;
  rule 5.61)."
 >
  controller_id!:int32 incarnation_id!:uuid zk_migration_ready:bool
  listeners(key=name)[BrokerListener] features(key=name)[BrokerFeature]
 <
  "The result of a registration."
  throttle_time_ms:int32 error_code:int16 error_message?:string

94 UnregisterController 0-0 flexible 0
 "An operator removes a controller's registration (4.4)."
 >
  "UnregisterController (94), which Kafka has from 4.4 on."
  controller_id!:int32
 <
  "The result of an unregistration."
  throttle_time_ms:int32 error_code:int16 error_message?:string
"""
