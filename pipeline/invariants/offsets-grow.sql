with beside as (
  select r.run_id, r.seq, r.t_us, r.offset as log_offset,
    lag(r.offset) over (partition by r.run_id order by r.seq) as before
  from records as r
)
select run_id, t_us, cast(null as bigint) as event_seq,
  concat('offset ', cast(log_offset as string), ' comes after ', cast(before as string)) as what
from beside
where log_offset <= before
