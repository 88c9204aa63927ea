"""Access control entries: DescribeAcls (29), CreateAcls (30) and DeleteAcls (31).

Types, operations and permissions are Kafka's numbers (`controller/core/security/acl_kinds.py`)."""

TEXT = """\
const LITERAL = 3 "the pattern type of a pattern that matches one name"

29 DescribeAcls 1-3 flexible 2
 "The access control entries that a filter selects."
 >
  "DescribeAcls (29): the filter; a name, principal or host of None matches every one."
  resource_type_filter!:int8 resource_name_filter!?:string pattern_type_filter=3:int8
  principal_filter!?:string host_filter!?:string operation!:int8 permission_type!:int8
 <
  throttle_time_ms:int32 error_code:int16 error_message?:string
  resources[DescribeAclsResource
   "A resource pattern with its entries."
   resource_type!:int8 "2 topic, 3 group, 4 cluster, 5 transactional id, 6 token, 7 user"
   resource_name!:string pattern_type=3:int8
   acls![AclDescription
    "One entry of a resource pattern."
    principal!:string host!:string "IP address of the client; * is every address" operation!:int8
    permission_type!:int8]]

30 CreateAcls 1-3 flexible 2
 "Access control entries are added."
 >
  creations[AclCreation
   "An entry to add."
   resource_type!:int8 "2 topic, 3 group, 4 cluster, 5 transactional id, 6 token, 7 user"
   resource_name!:string
   resource_pattern_type=3:int8 "how the name selects resources: 3 exactly, 4 as a prefix"
   principal!:string host!:string "IP address of the client; * is every address" operation!:int8
   permission_type!:int8]
 <
  throttle_time_ms:int32
  results[AclCreationResult
   "The result for one entry, in the order of the request."
   error_code:int16 error_message?:string]

31 DeleteAcls 1-3 flexible 2
 "The access control entries that filters select are removed."
 >
  filters[DeleteAclsFilter
   "Selects entries to remove; a name, principal or host of None matches every one."
   resource_type_filter!:int8 resource_name_filter!?:string pattern_type_filter=3:int8
   principal_filter!?:string host_filter!?:string operation!:int8 permission_type!:int8]
 <
  throttle_time_ms:int32
  filter_results[DeleteAclsFilterResult
   "The result of one filter, in the order of the request."
   error_code:int16 error_message?=null:string
   matching_acls[DeleteAclsMatchingAcl
    "An entry that a filter selected."
    error_code:int16 error_message?=null:string
    resource_type!:int8 "2 topic, 3 group, 4 cluster, 5 transactional id, 6 token, 7 user"
    resource_name!:string pattern_type=3:int8 principal!:string
    host!:string "IP address of the client; * is every address" operation!:int8
    permission_type!:int8]]
"""
