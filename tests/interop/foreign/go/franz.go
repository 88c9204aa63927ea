package main

import (
	"context"
	"reflect"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func pointer[T any](value T) *T { return &value }

func franz(s *scene) {
	connected, err := kgo.NewClient(kgo.SeedBrokers(s.servers...))
	if err != nil {
		panic(err)
	}
	defer connected.Close()
	admin := kadm.NewClient(connected)
	franzTopics(s, admin)
	franzConfigs(s, admin)
	franzPartitions(s, admin)
	franzSecurity(s, admin)
	franzGroups(s, admin)
	franzTransactions(s, admin)
	franzMessages(s)
	s.call("deleteTopics", "DeleteTopics", func(c context.Context) (any, error) { return admin.DeleteTopics(c, s.topic) })
	s.complete(reflect.TypeOf(admin),
		"Close", "SetTimeoutMillis", "OffetForLeaderEpoch",
		// Forms of other methods, which send the same requests.
		"AlterAllReplicaLogDirs", "CommitAllOffsets", "CommitAllOffsetsByID", "CommitOffsetsByID", "CreateTopic",
		"DeleteGroup", "DeleteTopic", "FetchManyOffsets", "FetchOffsetsByID", "FetchOffsetsForTopics",
		"ListGroupsByType", "ListTopicsWithInternal", "ListTransactionsByTxPattern", "UpdatePartitions",
		"ListCommittedOffsets", "ListLatestRemoteOffsets", "ListLocalLogStartOffsets", "ListMaxTimestampOffsets",
		"ListOffsetsAfterMilli", "ListStartOffsets", "ValidateAlterBrokerConfigs", "ValidateAlterBrokerConfigsState",
		"ValidateAlterClientQuotas", "ValidateAlterTopicConfigs", "ValidateAlterTopicConfigsState",
		"ValidateCreatePartitions", "ValidateCreateTopics", "ValidateUpdatePartitions", "AlterBrokerConfigsState",
		"DescribeAllLogDirs", "DescribeBrokerConfigs", "Metadata", "BrokerMetadata")
}

func franzTopics(s *scene, admin *kadm.Client) {
	s.call("apiVersions", "ApiVersions", func(c context.Context) (any, error) {
		_, err := admin.ApiVersions(c)
		return nil, err
	})
	s.call("describeCluster", "ListBrokers", func(c context.Context) (any, error) { return admin.ListBrokers(c) })
	s.call("createTopics", "CreateTopics", func(c context.Context) (any, error) {
		return admin.CreateTopics(c, 2, 1, nil, s.topic)
	})
	s.call("listTopics", "ListTopics", func(c context.Context) (any, error) { return admin.ListTopics(c) })
	s.call("createPartitions", "CreatePartitions", func(c context.Context) (any, error) {
		return admin.CreatePartitions(c, 1, s.topic)
	})
	s.call("updateFeatures", "UpdateFeatures", func(c context.Context) (any, error) {
		return admin.UpdateFeatures(c, false, kadm.FeatureUpdate{
			Feature: "transaction.version", MaxVersionLevel: 2, UpgradeType: 1,
		})
	})
}

func franzConfigs(s *scene, admin *kadm.Client) {
	set := []kadm.AlterConfig{{Op: kadm.SetConfig, Name: "retention.ms", Value: pointer("60000")}}
	again := []kadm.AlterConfig{{Name: "retention.ms", Value: pointer("120000")}}
	ofBrokers := []kadm.AlterConfig{{Op: kadm.SetConfig, Name: "log.cleaner.threads", Value: pointer("1")}}
	s.call("describeConfigs", "DescribeTopicConfigs", func(c context.Context) (any, error) {
		return admin.DescribeTopicConfigs(c, s.topic)
	})
	s.call("incrementalAlterConfigs", "AlterTopicConfigs", func(c context.Context) (any, error) {
		return admin.AlterTopicConfigs(c, set, s.topic)
	})
	s.call("alterConfigs", "AlterTopicConfigsState", func(c context.Context) (any, error) {
		return admin.AlterTopicConfigsState(c, again, s.topic)
	})
	s.call("incrementalAlterConfigs of brokers", "AlterBrokerConfigs", func(c context.Context) (any, error) {
		return admin.AlterBrokerConfigs(c, ofBrokers)
	})
	s.call("listConfigResources", "ListConfigResources", func(c context.Context) (any, error) {
		return admin.ListConfigResources(c)
	})
}

func franzPartitions(s *scene, admin *kadm.Client) {
	all := kadm.TopicsSet{s.topic: {0: {}, 1: {}}}
	first := kadm.TopicsSet{s.topic: {0: {}}}
	s.call("electLeaders", "ElectLeaders", func(c context.Context) (any, error) {
		return admin.ElectLeaders(c, kadm.ElectPreferredReplica, all)
	})
	s.call("alterPartitionReassignments", "AlterPartitionAssignments", func(c context.Context) (any, error) {
		return admin.AlterPartitionAssignments(c, kadm.AlterPartitionAssignmentsReq{s.topic: {0: {s.target}}})
	})
	s.call("listPartitionReassignments", "ListPartitionReassignments", func(c context.Context) (any, error) {
		return admin.ListPartitionReassignments(c, all)
	})
	s.call("describeLogDirs", "DescribeBrokerLogDirs", func(c context.Context) (any, error) {
		return admin.DescribeBrokerLogDirs(c, s.target, first)
	})
	s.call("alterReplicaLogDirs", "AlterBrokerReplicaLogDirs", func(c context.Context) (any, error) {
		return admin.AlterBrokerReplicaLogDirs(c, s.target, kadm.AlterReplicaLogDirsReq{"/nowhere": first})
	})
	s.call("deleteRecords", "DeleteRecords", func(c context.Context) (any, error) {
		offsets := kadm.Offsets{}
		offsets.AddOffset(s.topic, 0, 0, -1)
		return admin.DeleteRecords(c, offsets)
	})
	s.call("listOffsets", "ListEndOffsets", func(c context.Context) (any, error) { return admin.ListEndOffsets(c, s.topic) })
	s.call("offsetForLeaderEpoch", "OffsetForLeaderEpoch", func(c context.Context) (any, error) {
		request := kadm.OffsetForLeaderEpochRequest{}
		request.Add(s.topic, 0, 0)
		return admin.OffsetForLeaderEpoch(c, request)
	})
}

func franzSecurity(s *scene, admin *kadm.Client) {
	user := []kadm.ClientQuotaEntityComponent{{Type: "user", Name: &s.topic}}
	acl := kadm.NewACLs().Topics(s.topic).Allow("User:" + s.topic).AllowHosts().Operations(kadm.OpRead)
	filter := kadm.NewACLs().Topics(s.topic).Allow("User:" + s.topic).AllowHosts().Operations(kadm.OpRead)
	s.call("alterClientQuotas", "AlterClientQuotas", func(c context.Context) (any, error) {
		operation := kadm.AlterClientQuotaOp{Key: "producer_byte_rate", Value: 1048576}
		return admin.AlterClientQuotas(c, []kadm.AlterClientQuotaEntry{{Entity: user, Ops: []kadm.AlterClientQuotaOp{operation}}})
	})
	s.call("describeClientQuotas", "DescribeClientQuotas", func(c context.Context) (any, error) {
		wanted := kadm.DescribeClientQuotaComponent{Type: "user", MatchType: kmsg.QuotasMatchTypeAny}
		return admin.DescribeClientQuotas(c, false, []kadm.DescribeClientQuotaComponent{wanted})
	})
	s.call("alterUserScramCredentials", "AlterUserSCRAMs", func(c context.Context) (any, error) {
		credential := kadm.UpsertSCRAM{User: s.topic, Mechanism: kadm.ScramSha256, Iterations: 4096, Password: "secret"}
		return admin.AlterUserSCRAMs(c, nil, []kadm.UpsertSCRAM{credential})
	})
	s.call("describeUserScramCredentials", "DescribeUserSCRAMs", func(c context.Context) (any, error) {
		return admin.DescribeUserSCRAMs(c, s.topic)
	})
	s.call("createAcls", "CreateACLs", func(c context.Context) (any, error) { return admin.CreateACLs(c, acl) })
	s.call("describeAcls", "DescribeACLs", func(c context.Context) (any, error) { return admin.DescribeACLs(c, filter) })
	s.call("deleteAcls", "DeleteACLs", func(c context.Context) (any, error) { return admin.DeleteACLs(c, filter) })
	s.call("createDelegationToken", "CreateDelegationToken", func(c context.Context) (any, error) {
		return admin.CreateDelegationToken(c, kadm.CreateDelegationToken{MaxLifetime: time.Minute})
	})
	s.call("renewDelegationToken", "RenewDelegationToken", func(c context.Context) (any, error) {
		return admin.RenewDelegationToken(c, []byte("token"), time.Minute)
	})
	s.call("expireDelegationToken", "ExpireDelegationToken", func(c context.Context) (any, error) {
		return admin.ExpireDelegationToken(c, []byte("token"), time.Minute)
	})
	s.call("describeDelegationToken", "DescribeDelegationTokens", func(c context.Context) (any, error) {
		return admin.DescribeDelegationTokens(c)
	})
}

func franzGroups(s *scene, admin *kadm.Client) {
	offsets := kadm.Offsets{}
	offsets.AddOffset(s.topic, 0, 0, -1)
	first := kadm.TopicsSet{s.topic: {0: {}}}
	s.call("listGroups", "ListGroups", func(c context.Context) (any, error) { return admin.ListGroups(c) })
	s.call("describeClassicGroups", "DescribeGroups", func(c context.Context) (any, error) { return admin.DescribeGroups(c, s.group) })
	s.call("describeConsumerGroups", "DescribeConsumerGroups", func(c context.Context) (any, error) {
		return admin.DescribeConsumerGroups(c, s.group)
	})
	s.call("findGroupCoordinators", "FindGroupCoordinators", func(c context.Context) (any, error) {
		return admin.FindGroupCoordinators(c, s.group), nil
	})
	s.call("listConsumerGroupOffsets", "FetchOffsets", func(c context.Context) (any, error) { return admin.FetchOffsets(c, s.group) })
	s.call("alterConsumerGroupOffsets", "CommitOffsets", func(c context.Context) (any, error) {
		return admin.CommitOffsets(c, s.group, offsets)
	})
	s.call("deleteConsumerGroupOffsets", "DeleteOffsets", func(c context.Context) (any, error) {
		return admin.DeleteOffsets(c, s.group, first)
	})
	s.call("lag", "Lag", func(c context.Context) (any, error) { return admin.Lag(c, s.group) })
	s.call("removeMembersFromConsumerGroup", "LeaveGroup", func(c context.Context) (any, error) {
		return admin.LeaveGroup(c, kadm.LeaveGroup(s.group).InstanceIDs("member"))
	})
	s.call("deleteConsumerGroups", "DeleteGroups", func(c context.Context) (any, error) { return admin.DeleteGroups(c, s.group) })
	s.call("describeShareGroups", "DescribeShareGroups", func(c context.Context) (any, error) {
		return admin.DescribeShareGroups(c, s.group)
	})
	s.call("findShareCoordinators", "FindShareCoordinators", func(c context.Context) (any, error) {
		return admin.FindShareCoordinators(c, s.group), nil
	})
	s.call("listShareGroupOffsets", "DescribeShareGroupOffsets", func(c context.Context) (any, error) {
		return admin.DescribeShareGroupOffsets(c, s.group)
	})
	s.call("alterShareGroupOffsets", "AlterShareGroupOffsets", func(c context.Context) (any, error) {
		return admin.AlterShareGroupOffsets(c, s.group, offsets)
	})
	s.call("deleteShareGroupOffsets", "DeleteShareGroupOffsets", func(c context.Context) (any, error) {
		return admin.DeleteShareGroupOffsets(c, s.group, s.topic)
	})
}

func franzTransactions(s *scene, admin *kadm.Client) {
	first := kadm.TopicsSet{s.topic: {0: {}}}
	s.call("listTransactions", "ListTransactions", func(c context.Context) (any, error) { return admin.ListTransactions(c, nil, nil) })
	s.call("describeTransactions", "DescribeTransactions", func(c context.Context) (any, error) {
		return admin.DescribeTransactions(c, s.group)
	})
	s.call("describeProducers", "DescribeProducers", func(c context.Context) (any, error) { return admin.DescribeProducers(c, first) })
	s.call("findTransactionCoordinators", "FindTxnCoordinators", func(c context.Context) (any, error) {
		return admin.FindTxnCoordinators(c, s.group), nil
	})
	s.call("abortTransaction", "WriteTxnMarkers", func(c context.Context) (any, error) {
		return admin.WriteTxnMarkers(c, kadm.TxnMarkers{ProducerID: 1, Topics: first})
	})
}

func franzMessages(s *scene) {
	produce := func(options ...kgo.Opt) func(context.Context) (any, error) {
		return func(c context.Context) (any, error) {
			client, err := kgo.NewClient(append(options, kgo.SeedBrokers(s.servers...))...)
			if err != nil {
				return nil, err
			}
			defer client.Close()
			return nil, client.ProduceSync(c, &kgo.Record{Topic: s.topic, Value: []byte("lost")}).FirstErr()
		}
	}
	consume := func(options ...kgo.Opt) func(context.Context) (any, error) {
		return func(c context.Context) (any, error) {
			client, err := kgo.NewClient(append(options, kgo.SeedBrokers(s.servers...), kgo.ConsumeTopics(s.topic))...)
			if err != nil {
				return nil, err
			}
			defer client.CloseAllowingRebalance()
			return nil, client.PollFetches(c).Err()
		}
	}
	s.call("produce", "ProduceSync", produce(kgo.DisableIdempotentWrite()))
	s.call("produce idempotently", "ProduceSync", produce())
	s.call("produce with acks=0", "ProduceSync", produce(kgo.DisableIdempotentWrite(), kgo.RequiredAcks(kgo.NoAck())))
	s.call("produce in a transaction", "BeginTransaction", func(c context.Context) (any, error) {
		client, err := kgo.NewClient(kgo.SeedBrokers(s.servers...), kgo.TransactionalID(s.group))
		if err != nil {
			return nil, err
		}
		defer client.Close()
		if err := client.BeginTransaction(); err != nil {
			return nil, err
		}
		return nil, client.ProduceSync(c, &kgo.Record{Topic: s.topic, Value: []byte("lost")}).FirstErr()
	})
	s.call("consume", "PollFetches", consume())
	s.call("consume in a group", "PollFetches", consume(kgo.ConsumerGroup(s.group)))
}
