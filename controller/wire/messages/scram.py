"""SCRAM credentials: DescribeUserScramCredentials (50) and AlterUserScramCredentials (51).

A mechanism is 1 for SCRAM-SHA-256 and 2 for SCRAM-SHA-512."""

TEXT = """\
50 DescribeUserScramCredentials 0-0 flexible 0
 "The mechanisms and iterations of users."
 >
  "DescribeUserScramCredentials (50); None or no users mean every user."
  users?=null[UserName
   "A user to describe."
   name!:string "name of the user"]
 <
  throttle_time_ms:int32 error_code:int16 error_message?:string
  results[DescribeUserScramCredentialsResult
   "The credentials of one user."
   user:string error_code:int16 error_message?:string
   credential_infos[CredentialInfo
    "A credential without its secrets."
    mechanism!:int8 iterations!:int32]]

51 AlterUserScramCredentials 0-0 flexible 0
 "Credentials of users are set and removed."
 >
  deletions[ScramCredentialDeletion
   "Removes a user's credential of one mechanism."
   name!:string "name of the user" mechanism!:int8]
  upsertions[ScramCredentialUpsertion
   "Sets a user's credential of one mechanism; the client has salted the password."
   name!:string "name of the user" mechanism!:int8 iterations!:int32 salt!:bytes
   salted_password!:bytes "password after salting and the iterations"]
 <
  throttle_time_ms:int32
  results[AlterUserScramCredentialsResult
   "The result for one user."
   user!:string error_code:int16 error_message?=null:string]
"""
