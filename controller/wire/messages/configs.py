"""Configurations: DescribeConfigs (32), AlterConfigs (33), IncrementalAlterConfigs (44).

Resource types and sources are the numbers of the wire: `configs/resources.py` names them."""

TEXT = """\
struct AlterConfigsResourceResponse
  "The result for one resource."
  error_code:int16 error_message?=null:string resource_type!:int8 resource_name!:string

32 DescribeConfigs 1-4 flexible 4
 "Configurations with their values and sources. Version 3 adds types and documentation; version
  4 is flexible."
 >
  resources![DescribeConfigsResource
   "A resource to describe; `configuration_keys` None or empty means all configurations."
   resource_type!:int8 resource_name!:string
   configuration_keys?=null:string[] "names of the configurations; null or empty means all"]
  include_synonyms:bool "true requests the values of all levels"
  include_documentation@3-:bool "true requests the documentation"
 <
  throttle_time_ms:int32
  results[DescribeConfigsResult
   "The result for one resource."
   error_code:int16 error_message?:string resource_type!:int8 resource_name!:string
   configs(repeats)[DescribeConfigsEntry
    "A configuration with its value; the value of a sensitive configuration is None."
    name!:string "name of the configuration"
    value!?:string "value as text; null if sensitive or unset" read_only:bool config_source=-1:int8
    is_sensitive:bool
    synonyms[DescribeConfigsSynonym
     "A value that is set under another name, or at another level."
     name!:string "name of the configuration at this level"
     value!?:string "value as text; null if sensitive"
     source!:int8 "level of the value, numbered as in `config_source`"]
    config_type@3-:int8 "type of the value: 1 boolean, 2 string, 3 int, 4 short, 5 long, 6 double, 7
     list, 8 class, 9 password; 0 if unknown"
    documentation@3-?=null:string "what the configuration does; null if not requested"]]

33 AlterConfigs 0-2 flexible 2
 "All configurations of a resource at once."
 >
  "AlterConfigs (33). `is_forwarded` is no field of the message: it is true if a broker sent it
   for its client."
  resources![AlterConfigsResource
   "All configurations that a resource shall have; AlterConfigs deletes the others."
   resource_type!:int8 resource_name!:string
   configs![LegacyConfig
    "One configuration of an AlterConfigs request."
    name!:string "name of the configuration" value!?:string]]
  validate_only:bool +is_forwarded=false:bool
 <
  throttle_time_ms:int32 responses[AlterConfigsResourceResponse]

44 IncrementalAlterConfigs 0-1 flexible 1
 "Changes of configurations, one by one."
 >
  "IncrementalAlterConfigs (44). `is_forwarded` is no field of the message: it is true if a
   broker sent it for its client."
  resources![IncrementalAlterConfigsResource
   "The changes of one resource."
   resource_type!:int8 resource_name!:string
   configs![AlterableConfig
    "One change of an IncrementalAlterConfigs request. `config_operation` is 0 to set, 1 to
     delete, 2 to append and 3 to subtract."
    name!:string "name of the configuration"
    config_operation!:int8 "0 sets, 1 deletes, 2 appends, 3 subtracts"
    value!?:string "value as text; null for a deletion"]]
  validate_only:bool +is_forwarded=false:bool
 <
  throttle_time_ms:int32 responses[AlterConfigsResourceResponse]

74 ListConfigResources 0-1 flexible 0
 "Resources that have configurations. Version 0 was ListClientMetricsResources and lists those
  only (KIP-1142)."
 >
  "ListConfigResources (74); no types mean every type. Version 0 has no types, and lists client
   metrics (16)."
  resource_types@1-=16:int8[] "numbers of the types; empty means every type"
 <
  throttle_time_ms:int32 error_code:int16
  config_resources[ListedConfigResource
   "A resource that has configurations."
   resource_name!:string resource_type@1-=16:int8]
"""
