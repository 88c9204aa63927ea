-- How many runs a scenario has, and how many of them have a seed before {middle}.
select scenario, count(*) as runs, count_if(seed < {middle}) as early_runs,
  min(seed) as first_seed, max(seed) as last_seed
from judged
group by scenario
