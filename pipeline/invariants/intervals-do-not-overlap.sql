with beside as (
  select *, lag(end_us) over (partition by run_id, view, subject order by begin_us, seq) as before
  from intervals
)
select run_id, begin_us as t_us, cast(null as bigint) as event_seq,
  concat(view, ': ', subject, ' is ', state, ' from ', cast(begin_us as string), ' to ',
    cast(end_us as string), ' and in another state until ', coalesce(cast(before as string), '-'))
    as what
from beside
where begin_us < before or end_us < begin_us
