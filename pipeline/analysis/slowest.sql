-- The runs that took longest here.
select scenario, cell, mutant, seed, verdict, wall_us, virtual_us, events, repro
from runs
order by wall_us desc, run_id
limit 20
