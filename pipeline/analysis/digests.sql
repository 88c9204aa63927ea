-- Pairs whose runs are not the same, message by message; by scenario, with an example.
select scenario, count(*) as pairs,
  count_if(base_digest <> new_digest) as different,
  min_by(repro, case when base_digest <> new_digest
    then concat(lpad(cast(seed as string), 20, '0'), new_run_id) end) as repro
from pairs
group by scenario
order by scenario
