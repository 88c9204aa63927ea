-- Failures by what was broken first; of each kind, the run with the lowest seed as an example.
with failed as (
  select *, coalesce(signature, left(error, 100), verdict) as known_as
  from judged
  where verdict in ('fail', 'error', 'crash')
), clusters as (
  select scenario, known_as as signature, verdict, count(*) as runs,
    min(seed) as first_seed,
    min_by(run_id, concat(lpad(cast(seed as string), 20, '0'), run_id)) as run_id,
    min_by(repro, concat(lpad(cast(seed as string), 20, '0'), run_id)) as repro
  from failed
  group by scenario, known_as, verdict
)
select clusters.*, first_one.what
from clusters left join (select run_id, what from violations where seq = 0) as first_one
  on clusters.run_id = first_one.run_id
order by runs desc, scenario, signature, verdict
limit 1000
