-- fence: a broker's silence before it; recovery: from a fence on until it is back; start: from a
-- registration on until it is unfenced.
select run_id, scenario, 'fence' as what, begin_us - contact_us as took_us
from {prefix}judged_intervals
where view = 'log' and state = 'FENCED' and contact_us is not null
union all
select run_id, scenario, case cause when 'fenced' then 'recovery' else 'start' end,
  end_us - begin_us
from {prefix}judged_intervals
where view = 'log' and state = 'FENCED' and ended_by = 'unfenced'
