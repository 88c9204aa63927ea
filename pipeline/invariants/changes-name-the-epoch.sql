select run_id, t_us, cast(null as bigint) as event_seq,
  concat(type, ' at ', cast(log_offset as string), ' names epoch ', cast(broker_epoch as string),
    ' of broker ', cast(broker_id as string), ', which has ',
    coalesce(cast(known_epoch as string), 'none')) as what
from registrations
where type <> 'REGISTER_BROKER_RECORD' and (known_epoch is null or known_epoch <> broker_epoch)
