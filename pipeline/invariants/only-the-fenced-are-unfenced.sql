with beside as (
  select *, lag(state) over (partition by run_id, broker_id order by log_offset) as before
  from broker_events
)
select run_id, t_us, cast(null as bigint) as event_seq,
  concat('broker ', cast(broker_id as string), ' is unfenced at ', cast(log_offset as string), ' and was ',
    coalesce(before, 'not registered')) as what
from beside
where cause = 'unfenced' and coalesce(before, '-') <> 'fenced'
