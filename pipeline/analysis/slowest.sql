-- The runs with these ids.
select run_id, scenario, cell, mutant, seed, verdict, virtual_us, events, repro
from runs
where run_id in ({run_ids})
