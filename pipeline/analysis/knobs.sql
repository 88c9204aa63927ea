-- How often runs with a knob failed or were vacuous; only knobs that some runs have and some not.
with totals as (
  select scenario, count(*) as runs,
    count_if(verdict = 'fail') as failed, count_if(verdict = 'vacuous') as vacuous
  from judged
  group by scenario
), having_it as (
  select scenario, knob, count(*) as with_runs,
    count_if(verdict = 'fail') as with_failed, count_if(verdict = 'vacuous') as with_vacuous
  from run_knobs
  group by scenario, knob
)
select having_it.*, totals.runs, totals.failed, totals.vacuous
from having_it join totals on having_it.scenario = totals.scenario
where with_runs < totals.runs
order by scenario, knob
