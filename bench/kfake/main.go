// kfake, the fake cluster of franz-go, as a peer of kraftsim: three brokers and some topics.
//
// It prints, one `KEY=value` a line, the median milliseconds of a start in this process until a
// client has the metadata (`START_MS`), and the address of a broker (`ADDRESS`); then it serves
// until it is ended.
package main

import (
	"context"
	"fmt"
	"log"
	"sort"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	brokers    = 3
	topics     = 10
	partitions = 3
	starts     = 21
)

func main() {
	names := make([]string, topics)
	for number := range names {
		names[number] = fmt.Sprintf("topic-%d", number)
	}
	times := make([]float64, starts)
	for run := range times {
		times[run] = usableMilliseconds()
	}
	sort.Float64s(times)
	fmt.Printf("START_MS=%.2f\n", times[starts/2])
	cluster := started(kfake.SeedTopics(partitions, names...))
	fmt.Printf("ADDRESS=%s\n", cluster.ListenAddrs()[0])
	select {}
}

func started(options ...kfake.Opt) *kfake.Cluster {
	cluster, err := kfake.NewCluster(append(options, kfake.NumBrokers(brokers))...)
	if err != nil {
		log.Fatal(err)
	}
	return cluster
}

func usableMilliseconds() float64 {
	began := time.Now()
	cluster := started()
	defer cluster.Close()
	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...))
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	if _, err := kmsg.NewPtrMetadataRequest().RequestWith(context.Background(), client); err != nil {
		log.Fatal(err)
	}
	return float64(time.Since(began).Microseconds()) / 1000
}
