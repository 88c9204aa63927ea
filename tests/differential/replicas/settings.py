"""The settings of both clusters.

A paused or killed broker leaves ISRs by its lag, between 5 and 7.5 s after its last fetch, and is
fenced after 9 s. What a fault does while writes wait happens in the 3 s before.
"""

BROKER_IDS = (1, 2, 3)
PROFILE = "kafka-4.3"
FETCH_WAIT_S = 0.3
SETTINGS = {
    "broker.session.timeout.ms": "9000",
    "broker.heartbeat.interval.ms": "500",
    "replica.lag.time.max.ms": "5000",
    "replica.fetch.wait.max.ms": str(int(FETCH_WAIT_S * 1000)),
    "replica.fetch.backoff.ms": "200",
    # A broker that is killed remembers the high watermark of half a second before.
    "replica.high.watermark.checkpoint.interval.ms": "500",
    # Elections and snapshots that nobody asked for would come between two steps.
    "auto.leader.rebalance.enable": "false",
    "unclean.leader.election.interval.ms": "1000000000",
}
