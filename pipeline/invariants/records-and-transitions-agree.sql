with said as (
  select r.run_id, r.t_us, r.offset as log_offset,
    case r.type when 'LEADER_CHANGE' then 'controller_elected'
      when 'TOPIC_RECORD' then 'topic_created' when 'REMOVE_TOPIC_RECORD' then 'topic_deleted'
      else 'partition_changed' end as kind,
    cast(null as bigint) as broker_id
  from records as r
  where r.type in ('LEADER_CHANGE', 'TOPIC_RECORD', 'REMOVE_TOPIC_RECORD', 'PARTITION_CHANGE_RECORD')
  union all
  select run_id, t_us, log_offset, case cause when 'shuts_down' then 'broker_in_controlled_shutdown'
    else concat('broker_', cause) end, broker_id
  from broker_events
), told as (
  select t.run_id, t.t_us, t.seq, t.offset as log_offset, t.kind, t.broker_id
  from transitions as t
  where t.offset is not null
)
select coalesce(said.run_id, told.run_id) as run_id, coalesce(said.t_us, told.t_us) as t_us,
  told.seq as event_seq,
  concat('offset ', cast(coalesce(said.log_offset, told.log_offset) as string), ': ',
    coalesce(said.kind, 'nothing'), ' in the log, ', coalesce(told.kind, 'nothing'),
    ' in transitions') as what
from said full join told on said.run_id = told.run_id and said.log_offset = told.log_offset
where said.kind is null or told.kind is null or said.kind <> told.kind or said.t_us <> told.t_us
  or coalesce(said.broker_id, -1) <> coalesce(told.broker_id, -1)
