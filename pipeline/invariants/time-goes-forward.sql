with rows_of as (
  select 'transitions' as name, run_id, 0 as whose, seq, t_us from transitions
  union all select 'heartbeats', run_id, broker_id, seq, t_us from heartbeats
  union all select 'records', run_id, 0, seq, t_us from records
), beside as (
  select *, lag(t_us) over (partition by name, run_id, whose order by seq) as before_us from rows_of
)
select run_id, t_us, case when name = 'transitions' then seq end as event_seq,
  concat(name, ': row ', cast(seq as string), ' is at ', cast(t_us as string),
    ' us, the row before it at ', cast(before_us as string)) as what
from beside
where t_us < before_us
