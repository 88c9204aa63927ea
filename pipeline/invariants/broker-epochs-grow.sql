with fresh as (
  select * from registrations
  where type = 'REGISTER_BROKER_RECORD'
    and (known_epoch is null or known_epoch <> broker_epoch)
), beside as (
  select *, max(broker_epoch) over (partition by run_id order by log_offset
    rows between unbounded preceding and 1 preceding) as highest
  from fresh
)
select run_id, t_us, cast(null as bigint) as event_seq,
  concat('broker ', cast(broker_id as string), ' gets epoch ', cast(broker_epoch as string),
    ', not above ', cast(highest as string)) as what
from beside
where broker_epoch <= highest
