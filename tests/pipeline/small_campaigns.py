"""Small campaigns, for tests of what reads them: made once, without a JVM."""

import argparse
from pathlib import Path

from kraftsim.cli.campaign.plan import plan_of
from kraftsim.pipeline.campaign.campaign import run_campaign
from kraftsim.pipeline.campaign.commit_log import Folder
from kraftsim.pipeline.engines.local_engine import run_shards

# Claims less than is true on every seed: some runs fail, some are vacuous, the others pass.
SHAKY = """
schema: kraftsim/scenario/1
name: shaky
title: Whatever comes, and too much is claimed
claim: Nobody is fenced, and somebody is always lost.
cluster:
  controllers: 3
  brokers: 4
  racks: [a, b]
  topics: {orders: {partitions: 4, replication: 3}}
time: {run: 40s, calm: 15s}
do:
  - at: 1s
    note: {text: a swarm begins}
chaos:
  every: 6s
  lasting: 15s
  max_brokers: 1
  max_open_faults: 1
  kinds:
    proc.crash: {weight: 1, of: brokers}
    proc.pause: {weight: 3, of: brokers}
    net.delay: {weight: 3, of: nodes, low: 0ms, high: 200ms}
expect:
  never:
    - {record: FenceBroker}
"""
SWEPT = "pause-against-session"


def make_campaign(
    folder: Path, *scenarios: str, seeds: range, mutants: str | None = None
) -> Folder:
    given = argparse.Namespace(
        scenarios=list(scenarios),
        all=False,
        tag=[],
        seeds=seeds,
        sweep=[("pause", ("3s", "13s")), ("session_ms", (6000, 12000))]
        if SWEPT in scenarios
        else [],
        cell=[],
        mutants=mutants,
        smoke=False,
        allow_code=False,
        events="all",
        shard_seconds=2.0,
    )
    campaign = Folder(folder)
    campaign.begin(plan_of(given))
    run_campaign(
        campaign,
        lambda plan, folder, missing, look: run_shards(plan, folder, missing, look, workers=2),
        lambda state, worked_s: None,
    )
    return campaign
