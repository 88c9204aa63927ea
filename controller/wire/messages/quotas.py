"""Client quotas: DescribeClientQuotas (48) and AlterClientQuotas (49)."""

TEXT = """\
struct QuotaEntityData
  "One part of an entity; a name of None is the default entity of the type."
  entity_type!:string entity_name!?:string

48 DescribeClientQuotas 0-1 flexible 1
 "The quotas of the entities that a filter selects."
 >
  "DescribeClientQuotas (48). `strict` excludes entities with a type that no component names."
  components![QuotaFilterComponent
   "A condition on one type of entity. `match_type` is 0 for the name `match`, 1 for the default
    entity and 2 for any entity."
   entity_type!:string match_type!:int8 match!?:string]
  strict:bool
 <
  "The reply to a DescribeClientQuotas request; a refusal has None for its entries."
  throttle_time_ms:int32 error_code:int16 error_message?:string
  entries?[DescribedClientQuotas
   "The quotas of one entity."
   entity![QuotaEntityData]
   values![QuotaValue
    "A quota with its value."
    key!:string value!:float64]]

49 AlterClientQuotas 0-1 flexible 1
 "Changes of the quotas of users, clients and IPs."
 >
  entries![AlterClientQuotasEntry
   "The changes of one entity."
   entity![QuotaEntityData]
   ops![QuotaOperation
    "One change of a quota; `value` is ignored if the quota is removed."
    key!:string value!:float64 remove!:bool]]
  validate_only:bool
 <
  throttle_time_ms:int32
  entries[AlterClientQuotasResult
   "The result for one entity."
   error_code:int16 error_message?=null:string entity![QuotaEntityData]]
"""
