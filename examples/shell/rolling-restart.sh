#!/bin/sh
# A rolling restart (KIP-436): each broker hands over its leaderships and exits, and the next one follows once the new
# process is registered, with its own start time, and unfenced. No partition is without a leader at any time.
set -eu

ready=$(mktemp -d)/addresses
kraftsim up --clock auto --kafka-port 0 --controller-port 0 --http-port 0 --ready-file "$ready" >/dev/null &
up=$!
trap 'kill $up; wait $up || true' EXIT
until [ -s "$ready" ]; do
    kill -0 $up # it ends early if it cannot start
    sleep 0.1
done
set -a && . "$ready" && set +a # KRAFTSIM_HTTP leads every verb to the cluster

curl --silent --fail --json '{"topics": [{"name": "orders", "numPartitions": 6, "replicationFactor": 3}]}' \
    "$KRAFTSIM_HTTP/kafka/CreateTopics" >/dev/null
for broker in 1 2 3; do
    kraftsim broker stop $broker                        # a controlled shutdown, as SIGTERM to a real broker
    kraftsim wait --broker $broker --state NOT_RUNNING  # its leaderships are with other brokers now
    kraftsim cluster show | grep '^leaderlessPartitions: 0$'
    kraftsim broker restart $broker --wait              # ends with the new start time, unfenced
done
kraftsim broker list
