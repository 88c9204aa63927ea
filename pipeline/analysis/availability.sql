-- For how much of its time, from its first registration on, each broker was in service.
with lives as (
  select run_id, scenario, subject, min(rack) as rack, min(begin_us) as first_us,
    sum(case when state = 'unfenced' then end_us - begin_us else 0 end) as in_service_us
  from judged_intervals
  where view = 'log'
  group by run_id, scenario, subject
)
select lives.scenario, lives.subject, lives.rack, count(*) as runs,
  sum(lives.in_service_us) as in_service_us,
  sum(judged.virtual_us - lives.first_us) as known_us
from lives join judged on lives.run_id = judged.run_id
group by lives.scenario, lives.subject, lives.rack
order by scenario, subject, rack
