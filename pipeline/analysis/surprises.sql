-- Runs with a seed from {middle} on that have shown what no run before has, by scenario.
with early as (
  select distinct scenario, kind from run_kinds where seed < {middle}
)
select late.scenario, count(distinct late.run_id) as runs
from run_kinds as late left join early on late.scenario = early.scenario and late.kind = early.kind
where late.seed >= {middle} and early.kind is null
group by late.scenario
order by scenario
