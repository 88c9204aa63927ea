-- What a run says of itself, against its rows.
with counted as (
  select t.run_id, count_if(t.kind = 'broker_registered') as registrations,
    count_if(t.kind = 'broker_fenced') as fencings,
    count_if(t.kind = 'broker_unfenced') as unfencings,
    count_if(t.kind = 'controller_elected') as elections,
    count_if(t.kind = 'lease_expired') as lease_expiries
  from transitions as t
  group by t.run_id
)
select runs.run_id, cast(0 as bigint) as t_us, cast(null as bigint) as event_seq,
  concat('expected ', cast(counted.registrations as string), ' registrations, ',
    cast(counted.fencings as string), ' fences, ', cast(counted.unfencings as string),
    ' unfences, ', cast(counted.elections as string), ' elections and ',
    cast(counted.lease_expiries as string), ' expired leases, got ',
    cast(runs.registrations as string), ', ', cast(runs.fencings as string), ', ',
    cast(runs.unfencings as string), ', ', cast(runs.elections as string), ' and ',
    cast(runs.lease_expiries as string)) as what
from runs join counted on counted.run_id = runs.run_id
where runs.registrations <> counted.registrations or runs.fencings <> counted.fencings
  or runs.unfencings <> counted.unfencings or runs.elections <> counted.elections
  or runs.lease_expiries <> counted.lease_expiries
