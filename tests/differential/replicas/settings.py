"""The settings of both clusters.

A paused or killed broker leaves ISRs by its lag, between 6 and 9 s after its last fetch, and is
fenced after 9 s. What a fault does while writes wait happens in the 3 s before.
"""

BROKER_IDS = (1, 2, 3)
PROFILE = "kafka-4.3"
FETCH_WAIT_S = 0.3
SETTINGS = {
    "broker.session.timeout.ms": "9000",
    "broker.heartbeat.interval.ms": "500",
    "replica.lag.time.max.ms": "6000",
    "replica.fetch.wait.max.ms": str(int(FETCH_WAIT_S * 1000)),
    "replica.fetch.backoff.ms": "200",
    # What a killed broker remembers is the high watermark of this time before.
    "replica.high.watermark.checkpoint.interval.ms": "200",
    # Elections and snapshots that nobody asked for would come between two steps.
    "auto.leader.rebalance.enable": "false",
    "unclean.leader.election.interval.ms": "1000000000",
}
