-- Each kind of change (who, in which state, what, and then?) that runs of a scenario have shown: in
-- how many runs, of those with a seed before {middle} too, and from which seed on.
select scenario, kind, count(*) as runs, count_if(seed < {middle}) as early_runs,
  min(seed) as first_seed, min(run_id) as a_run,
  min(case when seed < {middle} then run_id end) as an_early_run
from run_kinds
group by scenario, kind
order by scenario, kind
