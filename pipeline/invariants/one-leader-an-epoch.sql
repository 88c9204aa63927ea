select r.run_id, max(r.t_us) as t_us, cast(null as bigint) as event_seq,
  concat('leader epoch ', cast(r.leader_epoch as string), ' has ', cast(count(*) as string),
    ' leaders: ', cast(min(get_json_object(r.data, '$.leaderId')) as string), ' and ',
    cast(max(get_json_object(r.data, '$.leaderId')) as string)) as what
from records as r
where r.type = 'LEADER_CHANGE'
group by r.run_id, r.leader_epoch
having count(*) > 1
