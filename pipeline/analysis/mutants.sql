-- Of runs that pass as they are, how many fail with a bug planted?
with plain as (
  select scenario, cell, seed from judged where verdict = 'pass'
)
select planted.mutant, planted.scenario, count(*) as pairs,
  count_if(planted.verdict in ('fail', 'error', 'crash')) as killed,
  min(case when planted.verdict in ('fail', 'error', 'crash') then planted.seed end) as first_seed,
  min_by(planted.repro, case when planted.verdict in ('fail', 'error', 'crash')
    then concat(lpad(cast(planted.seed as string), 20, '0'), planted.run_id) end) as repro
from runs as planted join plain
  on planted.scenario = plain.scenario and planted.cell = plain.cell and planted.seed = plain.seed
where planted.mutant is not null
group by planted.mutant, planted.scenario
order by mutant, scenario
