-- What a new incarnation cleans up comes before its registration, in one batch (rule 1.30).
with fresh as (
  select * from registrations
  where type = 'REGISTER_BROKER_RECORD'
    and (known_epoch is null or known_epoch <> broker_epoch)
), cleaned as (
  select fresh.run_id, fresh.log_offset, count(*) as changes
  from fresh join records as r on r.run_id = fresh.run_id
    and r.offset >= fresh.broker_epoch and r.offset < fresh.log_offset
  where r.type = 'PARTITION_CHANGE_RECORD' and r.t_us = fresh.t_us
  group by fresh.run_id, fresh.log_offset
)
select fresh.run_id, fresh.t_us, cast(null as bigint) as event_seq,
  concat('broker ', cast(fresh.broker_id as string), ' is registered at ',
    cast(fresh.log_offset as string), ' with epoch ', cast(fresh.broker_epoch as string)) as what
from fresh left join cleaned on cleaned.run_id = fresh.run_id and cleaned.log_offset = fresh.log_offset
where fresh.broker_epoch + coalesce(cleaned.changes, 0) <> fresh.log_offset
