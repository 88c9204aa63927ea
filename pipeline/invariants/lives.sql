-- Who was in which state when, from records and transitions alone: what `intervals` has to say too.
with ends as (
  select run_id, max(end_us) as end_us from intervals group by run_id
), elections as (
  select t.run_id, t.seq, t.t_us, t.kind,
    case when t.kind = 'controller_elected'
      then concat('controller-', get_json_object(t.detail, '$.leader_id')) end as leader,
    concat('controller-', get_json_object(t.detail, '$.controller_id')) as loser,
    sum(case when t.kind = 'controller_elected' then 1 else 0 end)
      over (partition by t.run_id order by t.seq) as term
  from transitions as t
  where t.kind in ('controller_elected', 'controller_resigns') or (t.kind = 'controller_state'
    and get_json_object(t.detail, '$.state') <> 'RUNNING')
), led as (
  select *, max(leader) over (partition by run_id, term) as leads from elections
), happened as (
  select run_id, 'log' as view, concat('broker-', cast(broker_id as string)) as subject,
    log_offset as place, t_us, cause, state, 'unregistered' as at_first
  from broker_events
  union all
  select t.run_id, 'process', concat('broker-', cast(t.broker_id as string)), t.seq, t.t_us, t.kind,
    get_json_object(t.detail, '$.state'), 'ABSENT'
  from transitions as t
  where t.kind = 'agent_state'
  union all
  select t.run_id, 'process', concat('controller-', get_json_object(t.detail, '$.controller_id')),
    t.seq, t.t_us, t.kind, get_json_object(t.detail, '$.state'), 'RUNNING'
  from transitions as t
  where t.kind = 'controller_state'
  union all
  select run_id, 'quorum', 'quorum', seq, t_us,
    case kind when 'controller_elected' then 'elected' else kind end,
    coalesce(leader, 'LEADERLESS'), 'ABSENT'
  from led
  where leader is not null or (leads is not null and loser = leads)
), changes as (
  select *, lag(state, 1, at_first) over (partition by run_id, view, subject order by place)
    as before
  from happened
), kept as (
  select *, lead(t_us) over (partition by run_id, view, subject order by place) as next_us,
    lead(cause) over (partition by run_id, view, subject order by place) as next_cause
  from changes
  where state <> before or cause = 'registered'
)
select kept.run_id, kept.view, kept.subject, kept.state, kept.t_us as begin_us,
  coalesce(kept.next_us, ends.end_us) as end_us, kept.cause, kept.next_cause as ended_by
from kept join ends on kept.run_id = ends.run_id
where kept.state not in ('unregistered', 'ABSENT')
