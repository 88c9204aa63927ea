"""Schemas of APIs of delegation tokens, which a node without a secret for them refuses."""

TEXT = """\
38 CreateDelegationToken 1-3 flexible 2
 >
  owner_principal_type@3-?3:string owner_principal_name@3-?3:string
  renewers[CreatableRenewers
   principal_type:string principal_name:string]
  max_lifetime_ms:int64
 <
  error_code:int16 principal_type:string principal_name:string
  token_requester_principal_type@3-:string token_requester_principal_name@3-:string
  issue_timestamp_ms:int64 expiry_timestamp_ms:int64 max_timestamp_ms:int64 token_id:string
  hmac:bytes throttle_time_ms:int32

39 RenewDelegationToken 1-2 flexible 2
 >
  hmac:bytes renew_period_ms:int64
 <
  error_code:int16 expiry_timestamp_ms:int64 throttle_time_ms:int32

40 ExpireDelegationToken 1-2 flexible 2
 >
  hmac:bytes expiry_time_period_ms:int64
 <
  error_code:int16 expiry_timestamp_ms:int64 throttle_time_ms:int32

41 DescribeDelegationToken 1-3 flexible 2
 >
  owners?[DescribeDelegationTokenOwner
   principal_type:string principal_name:string]
 <
  error_code:int16
  tokens[DescribedDelegationToken
   principal_type:string principal_name:string token_requester_principal_type@3-:string
   token_requester_principal_name@3-:string issue_timestamp:int64 expiry_timestamp:int64
   max_timestamp:int64 token_id:string hmac:bytes
   renewers[DescribedDelegationTokenRenewer
    principal_type:string principal_name:string]]
  throttle_time_ms:int32
"""
