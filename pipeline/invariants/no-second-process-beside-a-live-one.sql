-- Another incarnation is refused while the one before is unfenced and was heard of within a session
-- by the controller that decides (rules 1.10 to 1.12).
with leaders as (
  select r.run_id, r.leader_epoch, r.t_us as since_us,
    cast(get_json_object(r.data, '$.leaderId') as int) as controller_id
  from records as r
  where r.type = 'LEADER_CHANGE'
), states as (
  select *, lag(state) over (partition by run_id, broker_id order by log_offset) as before
  from broker_events
), taken as (
  select registrations.*, leaders.controller_id, leaders.since_us, steady.session_us
  from registrations
    join states on states.run_id = registrations.run_id and states.log_offset = registrations.log_offset
    join leaders on leaders.run_id = registrations.run_id
      and leaders.leader_epoch = registrations.leader_epoch
    join steady_runs as steady on steady.run_id = registrations.run_id
  where registrations.type = 'REGISTER_BROKER_RECORD' and states.before = 'unfenced'
    and registrations.incarnation <> registrations.known_incarnation
), heard as (
  select taken.run_id, taken.log_offset, max(h.t_us) as contact_us
  from taken join heartbeats as h on h.run_id = taken.run_id
    and h.broker_id = taken.broker_id and h.broker_epoch = taken.known_epoch
    and h.controller_id = taken.controller_id
  where h.error_code = 0 and h.t_us < taken.t_us and h.t_us >= taken.since_us
  group by taken.run_id, taken.log_offset
)
select taken.run_id, taken.t_us, cast(null as bigint) as event_seq,
  concat('broker ', cast(taken.broker_id as string), ' is registered at ',
    cast(taken.log_offset as string), ', ',
    cast(taken.t_us - heard.contact_us as string), ' us after the last contact of another incarnation') as what
from taken join heard on heard.run_id = taken.run_id and heard.log_offset = taken.log_offset
where taken.t_us - heard.contact_us < taken.session_us - 1000
