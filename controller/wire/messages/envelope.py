"""Envelope (58, KIP-590): a request that a broker forwards to a controller for a client."""

TEXT = """\
58 Envelope 0-0 flexible 0
 "A broker forwards a client's request (KIP-590). The principal in it is a version, an int16,
  and the bytes of DefaultPrincipalData (DefaultPrincipalData.json)."
 >
  "A client's request with its header, its principal, and the IP address of the client."
  request_data!:bytes "request of the client, with its header"
  request_principal?=null:bytes "principal of the client: the version (int16) and bytes of
   DefaultPrincipalData; null if the broker has none"
  client_host_address:bytes "IP address of the client, 4 or 16 bytes"
 <
  "The response to the client with its header; or an error of the envelope, and no response."
  response_data?=null:bytes "response to the client, with its header; null on error"
  error_code:int16

data DefaultPrincipalData 0-0 class ForwardedPrincipal
  "The client that a broker has authenticated, such as User:ANONYMOUS."
  type!:string "type of the principal, such as User" name!:string "name of the principal"
  token_authenticated:bool "true if a delegation token authenticated the client"
"""
