-- How long brokers were silent before their fence, and fenced before they were back; for each
-- scenario, and (scenario is null) for all.
select what, scenario, count(*) as times,
  percentile_cont(0.01) within group (order by took_us) as p1_us,
  percentile_cont(0.25) within group (order by took_us) as p25_us,
  percentile_cont(0.5) within group (order by took_us) as p50_us,
  percentile_cont(0.75) within group (order by took_us) as p75_us,
  percentile_cont(0.99) within group (order by took_us) as p99_us,
  percentile_cont(0.999) within group (order by took_us) as p999_us,
  max(took_us) as max_us
from delays
group by grouping sets ((what, scenario), (what))
order by what, scenario nulls first
