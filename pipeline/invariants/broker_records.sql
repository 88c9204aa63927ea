-- What the committed log says of brokers, each record's fields as columns.
select r.run_id, r.seq, r.t_us, r.offset as log_offset, r.leader_epoch, r.type,
  cast(coalesce(get_json_object(data, '$.brokerId'), get_json_object(data, '$.id')) as bigint)
    as broker_id,
  cast(coalesce(get_json_object(data, '$.brokerEpoch'), get_json_object(data, '$.epoch')) as bigint)
    as broker_epoch,
  get_json_object(data, '$.incarnationId') as incarnation,
  get_json_object(data, '$.fenced') as fenced,
  get_json_object(data, '$.inControlledShutdown') as leaving
from records as r
where r.type in ('REGISTER_BROKER_RECORD', 'UNREGISTER_BROKER_RECORD', 'FENCE_BROKER_RECORD',
  'UNFENCE_BROKER_RECORD', 'BROKER_REGISTRATION_CHANGE_RECORD')
