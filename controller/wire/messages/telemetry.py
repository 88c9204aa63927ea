"""Client telemetry: GetTelemetrySubscriptions (71) and PushTelemetry (72), of KIP-714."""

TEXT = """\
71 GetTelemetrySubscriptions 0-0 flexible 0
 "The metrics that a client shall push (KIP-714)."
 >
  "GetTelemetrySubscriptions (71); a client without an id asks with zeros."
  client_instance_id!:uuid +client=NO_CLIENT:TelemetryClient
 <
  throttle_time_ms:int32 error_code:int16 client_instance_id:uuid subscription_id:int32
  accepted_compression_types:int8[] push_interval_ms:int32 telemetry_max_bytes:int32
  delta_temporality:bool requested_metrics:string[]

72 PushTelemetry 0-0 flexible 0
 "The metrics of a client (KIP-714)."
 >
  client_instance_id!:uuid subscription_id!:int32 terminating:bool compression_type:int8
  metrics:bytes +client=NO_CLIENT:TelemetryClient
 <
  throttle_time_ms:int32 error_code:int16
"""
