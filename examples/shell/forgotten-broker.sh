#!/bin/sh
# A broker that was removed without being unregistered stays registered, fenced. It blocks an upgrade of the features,
# because it may come back with the old release. list-endpoints shows it with --include-fenced-brokers (KIP-1073).
set -eu

ready=$(mktemp -d)/addresses
kraftsim up --metadata-version 4.3-IV0 --clock auto --kafka-port 0 --controller-port 0 --http-port 0 \
    --ready-file "$ready" >/dev/null &
up=$!
trap 'kill $up; wait $up || true' EXIT
until [ -s "$ready" ]; do
    kill -0 $up # it ends early if it cannot start
    sleep 0.1
done
set -a && . "$ready" && set +a # KRAFTSIM_HTTP leads every verb to the cluster

# Broker 77 of Kafka 4.3 registers once and is never seen again.
range() { printf '{"name": "%s", "minSupportedVersion": %s, "maxSupportedVersion": %s}' "$@"; }
curl --silent --fail "$KRAFTSIM_HTTP/kafka/BrokerRegistration" --json "{
    \"brokerId\": 77, \"clusterId\": \"$KRAFTSIM_CLUSTER_ID\", \"incarnationId\": \"$(kraftsim storage random-uuid)\",
    \"listeners\": [{\"name\": \"PLAINTEXT\", \"host\": \"old-host\", \"port\": 9092, \"securityProtocol\": 0}],
    \"features\": [$(range metadata.version 7 30), $(range eligible.leader.replicas.version 0 1),
        $(range group.version 0 1), $(range share.version 0 1), $(range streams.version 0 1),
        $(range transaction.version 0 2), $(range kraft.version 0 1)]}"

upgrade='{"featureUpdates": [{"feature": "metadata.version", "maxVersionLevel": 33, "upgradeType": 1}]}'
curl --silent --json "$upgrade" "$KRAFTSIM_HTTP/kafka/UpdateFeatures" | grep 'Broker 77 only supports versions 7-30'

kraftsim cluster list-endpoints --include-fenced-brokers | grep '^77 .*fenced'
kraftsim cluster unregister --id 77

curl --silent --fail --json "$upgrade" "$KRAFTSIM_HTTP/kafka/UpdateFeatures"
kraftsim cluster show | grep 'metadataVersion: 33'
