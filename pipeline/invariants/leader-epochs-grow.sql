with beside as (
  select r.run_id, r.t_us, r.offset as log_offset, r.leader_epoch,
    lag(r.leader_epoch) over (partition by r.run_id order by r.offset) as before
  from records as r
)
select run_id, t_us, cast(null as bigint) as event_seq,
  concat('offset ', cast(log_offset as string), ' has leader epoch ', cast(leader_epoch as string),
    ', the record before it ', cast(before as string)) as what
from beside
where leader_epoch < before
