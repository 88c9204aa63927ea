with firsts as (
  select r.run_id, r.t_us, r.offset as log_offset, r.leader_epoch, r.type,
    row_number() over (partition by r.run_id, r.leader_epoch order by r.offset) as nth
  from records as r
)
select run_id, t_us, cast(null as bigint) as event_seq,
  concat('leader epoch ', cast(leader_epoch as string), ' begins at ', cast(log_offset as string),
    ' with ', type, ': expected LEADER_CHANGE') as what
from firsts
where nth = 1 and type <> 'LEADER_CHANGE'
