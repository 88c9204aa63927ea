-- What the log says of brokers, beside the registration that was in force before it.
with numbered as (
  select *, sum(case when type = 'REGISTER_BROKER_RECORD' then 1 else 0 end)
    over (partition by run_id, broker_id order by log_offset) as nth
  from broker_records
), named as (
  select run_id, broker_id, nth, broker_epoch as known_epoch, incarnation as known_incarnation
  from numbered
  where type = 'REGISTER_BROKER_RECORD'
)
select numbered.*, named.known_epoch, named.known_incarnation
from numbered left join named
  on numbered.run_id = named.run_id and numbered.broker_id = named.broker_id
  and named.nth = case when type = 'REGISTER_BROKER_RECORD' then numbered.nth - 1
    else numbered.nth end
