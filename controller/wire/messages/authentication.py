"""Schemas of APIs of delegation tokens, which a node without a secret for them refuses."""

TEXT = """\
38 CreateDelegationToken 1-3 flexible 2
 >
  "Requests a token for the client, or for an owner that it names."
  owner_principal_type@3-?3:string "type of the owner's principal; null is the client itself"
  owner_principal_name@3-?3:string "name of the owner's principal; null is the client itself"
  renewers[CreatableRenewers
   "A principal that may renew the token."
   principal_type:string principal_name:string]
  max_lifetime_ms:int64 "greatest age of the token, in milliseconds; -1 is the broker's maximum"
 <
  "The token, which belongs to `principal_name`."
  error_code:int16 principal_type:string principal_name:string
  token_requester_principal_type@3-:string token_requester_principal_name@3-:string
  issue_timestamp_ms:int64 "when the token was created, in milliseconds since the epoch"
  expiry_timestamp_ms:int64
  max_timestamp_ms:int64 "when the token can no longer be renewed, in milliseconds since the epoch"
  token_id:string hmac:bytes throttle_time_ms:int32

39 RenewDelegationToken 1-2 flexible 2
 >
  "Postpones the expiry of a token."
  hmac:bytes
  renew_period_ms:int64 "time until the token expires, in milliseconds; -1 is the broker's default"
 <
  error_code:int16 expiry_timestamp_ms:int64 throttle_time_ms:int32

40 ExpireDelegationToken 1-2 flexible 2
 >
  "Changes the expiry of a token, or removes the token."
  hmac:bytes
  expiry_time_period_ms:int64 "time until the token expires, in milliseconds; a negative time
   removes the token"
 <
  error_code:int16 expiry_timestamp_ms:int64 throttle_time_ms:int32

41 DescribeDelegationToken 1-3 flexible 2
 >
  "Requests the tokens of owners, or every token that the client may see."
  owners?[DescribeDelegationTokenOwner
   "A principal whose tokens are described; null `owners` means every principal."
   principal_type:string principal_name:string]
 <
  error_code:int16
  tokens[DescribedDelegationToken
   "A token, which belongs to `principal_name`."
   principal_type:string principal_name:string token_requester_principal_type@3-:string
   token_requester_principal_name@3-:string issue_timestamp:int64
   expiry_timestamp:int64 "when the token expires unless renewed, in milliseconds since the epoch"
   max_timestamp:int64 token_id:string hmac:bytes
   renewers[DescribedDelegationTokenRenewer
    "A principal that may renew the token."
    principal_type:string principal_name:string]]
  throttle_time_ms:int32
"""
