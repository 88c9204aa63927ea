-- Contacts are what the controller that fences has answered without an error; a failover renews
-- leases, which only makes them longer. Clocks that are made to drift are left out.
with expired as (
  select t.run_id, t.seq, t.t_us, t.broker_id, t.broker_epoch, steady.session_us,
    cast(replace(t.node, 'controller-', '') as int) as controller_id
  from transitions as t join steady_runs as steady on t.run_id = steady.run_id
  where t.kind = 'lease_expired'
), heard as (
  select expired.run_id, expired.seq, max(h.t_us) as contact_us
  from expired join heartbeats as h on h.run_id = expired.run_id
    and h.broker_id = expired.broker_id and h.broker_epoch = expired.broker_epoch
    and h.controller_id = expired.controller_id
  where h.error_code = 0 and h.t_us < expired.t_us
  group by expired.run_id, expired.seq
)
select expired.run_id, expired.t_us, expired.seq as event_seq,
  concat('the lease of broker ', cast(expired.broker_id as string), ' expired after ',
    cast(expired.t_us - heard.contact_us as string), ' us, expected at least ',
    cast(expired.session_us as string)) as what
from expired join heard on heard.run_id = expired.run_id and heard.seq = expired.seq
where expired.t_us - heard.contact_us < expired.session_us - 1000
