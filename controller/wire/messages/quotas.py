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
   entity_type!:string
   match_type!:int8 "0 the entity of this name, 1 the default entity, 2 any entity"
   match!?:string "name of the entity; null for the other types of match"]
  strict:bool "true excludes entities with a type that no component names"
 <
  "The reply to a DescribeClientQuotas request; a refusal has None for its entries."
  throttle_time_ms:int32 error_code:int16 error_message?:string
  entries?[DescribedClientQuotas
   "The quotas of one entity."
   entity![QuotaEntityData]
   values![QuotaValue
    "A quota with its value."
    key!:string "name of the quota, such as producer_byte_rate"
    value!:float64 "value of the quota"]]

49 AlterClientQuotas 0-1 flexible 1
 "Changes of the quotas of users, clients and IPs."
 >
  entries![AlterClientQuotasEntry
   "The changes of one entity."
   entity![QuotaEntityData]
   ops![QuotaOperation
    "One change of a quota; `value` is ignored if the quota is removed."
    key!:string "name of the quota, such as producer_byte_rate"
    value!:float64 "value of the quota; ignored by a removal"
    remove!:bool "true removes the quota"]]
  validate_only:bool
 <
  throttle_time_ms:int32
  entries[AlterClientQuotasResult
   "The result for one entity."
   error_code:int16 error_message?=null:string entity![QuotaEntityData]]
"""
