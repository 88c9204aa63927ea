#!/bin/sh
# A broker that is killed is fenced nine seconds later, which take some milliseconds.
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

kraftsim broker kill 2
kraftsim clock run-until --kind broker_fenced --broker 2
curl --silent --fail "$KRAFTSIM_HTTP/v1/brokers/2" | grep '"fenced": true'
