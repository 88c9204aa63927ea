-- Delays of the runs that both campaigns have; `run` is the same for both runs of a pair.
select 'base' as side, delays.what, delays.took_us, pairs.base_run_id as run
from base_delays as delays join pairs on delays.run_id = pairs.base_run_id
where pairs.mutant is null
union all
select 'new', delays.what, delays.took_us, pairs.base_run_id
from new_delays as delays join pairs on delays.run_id = pairs.new_run_id
where pairs.mutant is null
