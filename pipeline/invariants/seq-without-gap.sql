with rows_of as (
  select 'transitions' as name, run_id, seq, t_us from transitions
  union all select 'heartbeats', run_id, seq, t_us from heartbeats
  union all select 'records', run_id, seq, t_us from records
  union all select 'intervals', run_id, seq, begin_us from intervals
), counted as (
  select *, row_number() over (partition by name, run_id order by seq) - 1 as expected from rows_of
)
select run_id, t_us, case when name = 'transitions' then seq end as event_seq,
  concat(name, ': expected row ', cast(expected as string), ', got ', cast(seq as string)) as what
from counted
where seq <> expected
