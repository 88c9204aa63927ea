-- What came of the runs of each scenario, in each cell.
select scenario, cell,
  count(*) as runs,
  count_if(verdict = 'pass') as passed,
  count_if(verdict = 'fail') as failed,
  count_if(verdict = 'vacuous') as vacuous,
  count_if(verdict in ('error', 'crash')) as unended,
  count_if(fencings > 0) as with_fence,
  count_if(zombie_us > 0) as with_zombies,
  coalesce(sum(violations), 0) as violations,
  coalesce(sum(zombie_us), 0) as zombie_us,
  coalesce(sum(virtual_us), 0) as virtual_us,
  coalesce(sum(fencings), 0) as fencings,
  coalesce(sum(elections), 0) as elections
from judged
group by scenario, cell
