-- One quantile of the delays of a kind, and the two between which it lies in 19 of 20 campaigns.
select side, percentile_cont({quantile}) within group (order by took_us) as value_us,
  percentile_cont({low}) within group (order by took_us) as low_us,
  percentile_cont({high}) within group (order by took_us) as high_us
from paired_delays
where what = '{what}' and side = '{side}'
group by side
