-- Of each measure of a run: its sums, and in how many pairs it grew and shrank. A failure with a bug
-- planted is a good thing, so those runs are left out.
with unplanted as (
  select * from pairs where mutant is null
), measures as (
  select 'violations' as name, cast(base_violations as bigint) as was,
    cast(new_violations as bigint) as is_now from unplanted
  union all select 'failures',
    case when base_verdict in ('fail', 'error', 'crash') then 1 else 0 end,
    case when new_verdict in ('fail', 'error', 'crash') then 1 else 0 end from unplanted
  union all select 'vacuous', case base_verdict when 'vacuous' then 1 else 0 end,
    case new_verdict when 'vacuous' then 1 else 0 end from unplanted
  union all select 'fences', base_fencings, new_fencings from unplanted
  union all select 'elections', base_elections, new_elections from unplanted
  union all select 'zombies', base_zombie_us, new_zombie_us from unplanted
)
select name, sum(was) as base, sum(is_now) as new, count_if(is_now > was) as more,
  count_if(is_now < was) as less, count(*) as pairs
from measures
group by name
order by name
