-- Intervals of runs whose log is kept, against what records and transitions come to.
with kept as (
  select distinct run_id from records
), theirs as (
  select i.run_id, i.view, i.subject, i.state, i.begin_us, i.end_us, i.cause,
    coalesce(i.ended_by, '-') as ended_by, count(*) as times
  from intervals as i join kept on kept.run_id = i.run_id
  group by i.run_id, i.view, i.subject, i.state, i.begin_us, i.end_us, i.cause, i.ended_by
), ours as (
  select run_id, view, subject, state, begin_us, end_us, cause,
    coalesce(ended_by, '-') as ended_by, count(*) as times
  from lives
  group by run_id, view, subject, state, begin_us, end_us, cause, ended_by
)
select coalesce(theirs.run_id, ours.run_id) as run_id,
  coalesce(theirs.begin_us, ours.begin_us) as t_us, cast(null as bigint) as event_seq,
  concat(coalesce(theirs.view, ours.view), ': ', coalesce(theirs.subject, ours.subject), ' is ',
    coalesce(theirs.state, ours.state), ' from ',
    cast(coalesce(theirs.begin_us, ours.begin_us) as string),
    case when ours.run_id is null then ' only in intervals' else ' only in the log' end) as what
from theirs full join ours on theirs.run_id = ours.run_id and theirs.view = ours.view
  and theirs.subject = ours.subject and theirs.state = ours.state
  and theirs.begin_us = ours.begin_us and theirs.end_us = ours.end_us
  and theirs.cause = ours.cause and theirs.ended_by = ours.ended_by and theirs.times = ours.times
where theirs.run_id is null or ours.run_id is null
