-- What each record makes of its broker: a cause and the state that follows.
select run_id, seq, t_us, log_offset, broker_id,
  case type when 'REGISTER_BROKER_RECORD' then 'registered'
    when 'UNREGISTER_BROKER_RECORD' then 'unregistered'
    when 'FENCE_BROKER_RECORD' then 'fenced'
    when 'UNFENCE_BROKER_RECORD' then 'unfenced'
    else case fenced when '1' then 'fenced' when '-1' then 'unfenced' else 'shuts_down' end
  end as cause,
  case type when 'REGISTER_BROKER_RECORD' then
      case when leaving = 'true' then 'in_controlled_shutdown'
        when fenced = 'false' then 'unfenced' else 'fenced' end
    when 'UNREGISTER_BROKER_RECORD' then 'unregistered'
    when 'FENCE_BROKER_RECORD' then 'fenced'
    when 'UNFENCE_BROKER_RECORD' then 'unfenced'
    else case fenced when '1' then 'fenced' when '-1' then 'unfenced'
      else 'in_controlled_shutdown' end
  end as state
from broker_records
where type <> 'BROKER_REGISTRATION_CHANGE_RECORD' or fenced in ('1', '-1') or leaving = '1'
