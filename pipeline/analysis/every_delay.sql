-- fence: a broker's silence before it; recovery: from a fence on until it is back, however often it
-- registers in between; start: from a registration on until it is unfenced.
with counted as (
  select *, sum(case when state <> 'fenced' or ended_by = 'unregistered' then 1 else 0 end) over (
    partition by run_id, subject order by seq rows between unbounded preceding and 1 preceding
  ) as outage
  from {prefix}judged_intervals
  where view = 'log'
), outages as (
  select run_id, scenario, subject, coalesce(outage, 0) as outage, min(begin_us) as begin_us,
    max(end_us) as end_us, min_by(cause, seq) as cause, max_by(ended_by, seq) as ended_by
  from counted
  where state = 'fenced'
  group by run_id, scenario, subject, coalesce(outage, 0)
)
select run_id, scenario, 'fence' as what, begin_us - contact_us as took_us
from {prefix}judged_intervals
where view = 'log' and state = 'fenced' and contact_us is not null
union all
select run_id, scenario, case cause when 'fenced' then 'recovery' else 'start' end,
  end_us - begin_us
from outages
where ended_by = 'unfenced'
