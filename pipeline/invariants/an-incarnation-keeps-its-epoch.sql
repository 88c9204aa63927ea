select run_id, t_us, cast(null as bigint) as event_seq,
  concat('broker ', cast(broker_id as string), ' had epoch ', cast(known_epoch as string),
    ' and has ', cast(broker_epoch as string), ', its incarnation is ',
    case when incarnation = known_incarnation then 'the same' else 'another' end) as what
from registrations
where type = 'REGISTER_BROKER_RECORD' and known_epoch is not null
  and (known_epoch = broker_epoch) <> (known_incarnation = incarnation)
