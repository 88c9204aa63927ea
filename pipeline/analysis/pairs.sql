-- The runs that two campaigns share: the same scenario, cell, bug and seed.
select base.run_id as base_run_id, new.run_id as new_run_id, base.scenario, base.cell, base.mutant,
  base.seed, new.repro,
  base.verdict as base_verdict, new.verdict as new_verdict,
  base.digest as base_digest, new.digest as new_digest,
  coalesce(base.violations, 0) as base_violations, coalesce(new.violations, 0) as new_violations,
  coalesce(base.fencings, 0) as base_fencings, coalesce(new.fencings, 0) as new_fencings,
  coalesce(base.elections, 0) as base_elections, coalesce(new.elections, 0) as new_elections,
  coalesce(base.zombie_us, 0) as base_zombie_us, coalesce(new.zombie_us, 0) as new_zombie_us
from base_runs as base join new_runs as new
  on base.scenario = new.scenario and base.cell = new.cell and base.seed = new.seed
  and coalesce(base.mutant, '') = coalesce(new.mutant, '')
where not ({canaries})
