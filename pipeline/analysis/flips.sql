-- From which verdict to which, with a bug planted and without; an example with the lowest seed.
select base_verdict as was, new_verdict as is_now, mutant is not null as is_planted,
  count(*) as runs,
  min_by(repro, concat(lpad(cast(seed as string), 20, '0'), new_run_id)) as repro
from pairs
where base_verdict <> new_verdict
group by base_verdict, new_verdict, mutant is not null
order by is_planted, runs desc, was, is_now
