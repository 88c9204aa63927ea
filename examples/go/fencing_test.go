// Package fleet shows how a Go program is tested against kraftsim.
package fleet

import (
	"context"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestAKilledBrokerIsFenced(t *testing.T) {
	cluster := startCluster(t)
	post(t, cluster["KRAFTSIM_HTTP"]+"/sim/brokers/2/kill", "{}")
	post(t, cluster["KRAFTSIM_HTTP"]+"/sim/clock/run-until", `{"kind": "broker_fenced", "broker": 2}`)

	client, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(cluster["KRAFTSIM_BOOTSTRAP_SERVERS"], ",")...))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	request := kmsg.NewPtrDescribeClusterRequest()
	request.IncludeFencedBrokers = true
	described, err := request.RequestWith(context.Background(), client)
	if err != nil {
		t.Fatal(err)
	}

	for _, broker := range described.Brokers {
		if broker.IsFenced != (broker.NodeID == 2) {
			t.Errorf("broker %d: fenced is %t", broker.NodeID, broker.IsFenced)
		}
	}
}
