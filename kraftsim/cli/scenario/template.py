"""The file that `kraftsim scenario new` writes."""

START = """\
schema: kraftsim/scenario/1
name: NAME
title: One line that names the fault
claim: >
  One sentence about what holds, which a run can break.
tags: []
cluster:
  controllers: 3
  brokers: 3
  topics: {orders: {partitions: 6, replication: 3}}
# config: {broker.session.timeout.ms: 9000}      # Kafka's own names
# network: {low: 1ms, high: 10ms, loss: 0.01}
let:                                              # bound once a run, from the seed
  victim: {pick: 1, of: brokers}
do:                                               # at, after, every, when
  - at: 10s
    proc.crash: {on: $victim, for: 20s}
expect:
  leads_to:
    - if: {broker: $victim, state: NOT_RUNNING}
      then: {broker: $victim, state: fenced}
      within: {of: session, times: 1, plus: 1500ms}
  calm:
    - {broker: brokers, state: unfenced}
pins:
  - {seed: 1}
"""
