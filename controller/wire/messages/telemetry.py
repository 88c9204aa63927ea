"""Client telemetry: GetTelemetrySubscriptions (71) and PushTelemetry (72), of KIP-714."""

TEXT = """\
71 GetTelemetrySubscriptions 0-0 flexible 0
 "The metrics that a client shall push (KIP-714)."
 >
  "GetTelemetrySubscriptions (71); a client without an id asks with zeros."
  client_instance_id!:uuid "id of the client's instance; zeros request a new id"
  +client=NO_CLIENT:TelemetryClient
 <
  throttle_time_ms:int32 error_code:int16 client_instance_id:uuid subscription_id:int32
  accepted_compression_types:int8[] "numbers of the compressions, preferred first: 0 none, 1 gzip, 2
   snappy, 3 lz4, 4 zstd"
  push_interval_ms:int32 "time between two pushes, in milliseconds"
  telemetry_max_bytes:int32 "most bytes of a push"
  delta_temporality:bool "true if counters shall be changes since the last push, false for totals"
  requested_metrics:string[] "prefixes of names of metrics; none is no metric, an empty prefix every
   metric"

72 PushTelemetry 0-0 flexible 0
 "The metrics of a client (KIP-714)."
 >
  client_instance_id!:uuid subscription_id!:int32
  terminating:bool "true if this is the client's last push"
  compression_type:int8 "number of the compression of `metrics`, 0 for none"
  metrics:bytes "metrics in OTLP format" +client=NO_CLIENT:TelemetryClient
 <
  throttle_time_ms:int32 error_code:int16
"""
