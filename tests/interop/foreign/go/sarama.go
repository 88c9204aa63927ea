package main

import (
	"context"
	"errors"
	"reflect"
	"time"

	"github.com/IBM/sarama"
)

// A method of Sarama takes no context, so `scene.call` bounds the time.
func saramaCalls(s *scene) {
	config := sarama.NewConfig()
	config.Version = sarama.MaxVersion
	config.Producer.Return.Successes = true
	admin, err := sarama.NewClusterAdmin(s.servers, config)
	if err != nil {
		panic(err)
	}
	saramaTopics(s, admin)
	saramaConfigs(s, admin)
	saramaPartitions(s, admin)
	saramaSecurity(s, admin)
	saramaGroups(s, admin)
	saramaMessages(s)
	s.bare("deleteTopics", "DeleteTopic", func() error { return admin.DeleteTopic(s.topic) })
	s.complete(reflect.TypeFor[sarama.ClusterAdmin](),
		// Forms of other methods, which send the same requests.
		"CreateACL", "DescribeConfigs", "ListConsumerGroupOffsetsBatch", "DeleteUserScramCredentials", "Close")
}

func (s *scene) bare(call, method string, ask func() error) {
	s.call(call, method, func(context.Context) (any, error) { return nil, ask() })
}

func saramaTopics(s *scene, admin sarama.ClusterAdmin) {
	s.bare("describeCluster", "DescribeCluster", func() error {
		_, _, err := admin.DescribeCluster()
		return err
	})
	s.bare("controller", "Controller", func() error {
		_, err := admin.Controller()
		return err
	})
	s.bare("createTopics", "CreateTopic", func() error {
		return admin.CreateTopic(s.topic, &sarama.TopicDetail{NumPartitions: 2, ReplicationFactor: 1}, false)
	})
	s.bare("listTopics", "ListTopics", func() error {
		_, err := admin.ListTopics()
		return err
	})
	s.call("describeTopics", "DescribeTopics", func(context.Context) (any, error) { return admin.DescribeTopics([]string{s.topic}) })
	s.bare("createPartitions", "CreatePartitions", func() error { return admin.CreatePartitions(s.topic, 3, nil, false) })
	s.call("updateFeatures", "UpdateFeatures", func(context.Context) (any, error) {
		return admin.UpdateFeatures([]sarama.FeatureUpdate{{Feature: "transaction.version", MaxVersionLevel: 2}})
	})
}

func saramaConfigs(s *scene, admin sarama.ClusterAdmin) {
	s.call("describeConfigs", "DescribeConfig", func(context.Context) (any, error) {
		return admin.DescribeConfig(sarama.ConfigResource{Type: sarama.TopicResource, Name: s.topic})
	})
	s.bare("incrementalAlterConfigs", "IncrementalAlterConfig", func() error {
		entry := sarama.IncrementalAlterConfigsEntry{Operation: sarama.IncrementalAlterConfigsOperationSet, Value: pointer("60000")}
		entries := map[string]sarama.IncrementalAlterConfigsEntry{"retention.ms": entry}
		return admin.IncrementalAlterConfig(sarama.TopicResource, s.topic, entries, false)
	})
	s.bare("alterConfigs", "AlterConfig", func() error {
		return admin.AlterConfig(sarama.TopicResource, s.topic, map[string]*string{"retention.ms": pointer("120000")}, false)
	})
}

func saramaPartitions(s *scene, admin sarama.ClusterAdmin) {
	s.call("electLeaders", "ElectLeaders", func(context.Context) (any, error) {
		return admin.ElectLeaders(sarama.PreferredElection, map[string][]int32{s.topic: {0, 1}})
	})
	s.bare("alterPartitionReassignments", "AlterPartitionReassignments", func() error {
		return admin.AlterPartitionReassignments(s.topic, [][]int32{{s.target}})
	})
	s.call("listPartitionReassignments", "ListPartitionReassignments", func(context.Context) (any, error) {
		return admin.ListPartitionReassignments(s.topic, []int32{0, 1})
	})
	s.call("describeLogDirs", "DescribeLogDirs", func(context.Context) (any, error) { return admin.DescribeLogDirs([]int32{s.target}) })
	s.bare("deleteRecords", "DeleteRecords", func() error { return admin.DeleteRecords(s.topic, map[int32]int64{0: 0}) })
	s.call("listOffsets", "ListOffsets", func(context.Context) (any, error) {
		found, err := admin.ListOffsets(map[string]map[int32]int64{s.topic: {0: sarama.OffsetNewest}}, nil)
		if err != nil {
			return nil, err
		}
		if of := found[s.topic][0]; of == nil || of.Err != sarama.ErrNoError {
			return found, nil
		}
		return nil, nil
	})
}

func saramaSecurity(s *scene, admin sarama.ClusterAdmin) {
	user := sarama.QuotaEntityComponent{EntityType: sarama.QuotaEntityUser, MatchType: sarama.QuotaMatchExact, Name: s.topic}
	resource := sarama.Resource{ResourceType: sarama.AclResourceTopic, ResourceName: s.topic, ResourcePatternType: sarama.AclPatternLiteral}
	acl := sarama.Acl{Principal: "User:" + s.topic, Host: "*", Operation: sarama.AclOperationRead, PermissionType: sarama.AclPermissionAllow}
	filter := sarama.AclFilter{
		ResourceType: sarama.AclResourceTopic, ResourceName: &s.topic, ResourcePatternTypeFilter: sarama.AclPatternLiteral,
		Operation: sarama.AclOperationAny, PermissionType: sarama.AclPermissionAny,
	}
	s.bare("alterClientQuotas", "AlterClientQuotas", func() error {
		return admin.AlterClientQuotas([]sarama.QuotaEntityComponent{user}, sarama.ClientQuotasOp{Key: "producer_byte_rate", Value: 1048576}, false)
	})
	s.call("describeClientQuotas", "DescribeClientQuotas", func(context.Context) (any, error) {
		return admin.DescribeClientQuotas([]sarama.QuotaFilterComponent{{EntityType: sarama.QuotaEntityUser, MatchType: sarama.QuotaMatchAny}}, false)
	})
	s.call("alterUserScramCredentials", "UpsertUserScramCredentials", func(context.Context) (any, error) {
		return admin.UpsertUserScramCredentials([]sarama.AlterUserScramCredentialsUpsert{{
			Name: s.topic, Mechanism: sarama.SCRAM_MECHANISM_SHA_256, Iterations: 4096, Salt: []byte("salt"), Password: []byte("secret"),
		}})
	})
	s.call("describeUserScramCredentials", "DescribeUserScramCredentials", func(context.Context) (any, error) {
		return admin.DescribeUserScramCredentials([]string{s.topic})
	})
	s.bare("createAcls", "CreateACLs", func() error {
		return admin.CreateACLs([]*sarama.ResourceAcls{{Resource: resource, Acls: []*sarama.Acl{&acl}}})
	})
	s.call("describeAcls", "ListAcls", func(context.Context) (any, error) { return admin.ListAcls(filter) })
	s.call("deleteAcls", "DeleteACL", func(context.Context) (any, error) { return admin.DeleteACL(filter, false) })
}

func saramaGroups(s *scene, admin sarama.ClusterAdmin) {
	s.call("listConsumerGroups", "ListConsumerGroups", func(context.Context) (any, error) { return admin.ListConsumerGroups() })
	s.call("describeConsumerGroups", "DescribeConsumerGroups", func(context.Context) (any, error) {
		return admin.DescribeConsumerGroups([]string{s.group})
	})
	s.bare("findGroupCoordinators", "Coordinator", func() error {
		_, err := admin.Coordinator(s.group)
		return err
	})
	s.call("listConsumerGroupOffsets", "ListConsumerGroupOffsets", func(context.Context) (any, error) {
		return admin.ListConsumerGroupOffsets(s.group, map[string][]int32{s.topic: {0}})
	})
	s.call("alterConsumerGroupOffsets", "AlterConsumerGroupOffsets", func(context.Context) (any, error) {
		offsets := map[string]map[int32]sarama.OffsetAndMetadata{s.topic: {0: {LeaderEpoch: -1}}}
		return admin.AlterConsumerGroupOffsets(s.group, offsets, nil)
	})
	s.bare("deleteConsumerGroupOffsets", "DeleteConsumerGroupOffset", func() error {
		return admin.DeleteConsumerGroupOffset(s.group, s.topic, 0)
	})
	s.call("removeMembersFromConsumerGroup", "RemoveMemberFromConsumerGroup", func(context.Context) (any, error) {
		return admin.RemoveMemberFromConsumerGroup(s.group, []string{"member"})
	})
	s.bare("deleteConsumerGroups", "DeleteConsumerGroup", func() error { return admin.DeleteConsumerGroup(s.group) })
}

func saramaMessages(s *scene) {
	produce := func(change func(*sarama.Config)) func() error {
		return func() error {
			config := sarama.NewConfig()
			config.Version = sarama.MaxVersion
			config.Producer.Return.Successes = true
			config.Producer.Partitioner = sarama.NewManualPartitioner // 0, which is consumed
			change(config)
			producer, err := sarama.NewSyncProducer(s.servers, config)
			if err != nil {
				return err
			}
			defer producer.Close()
			if config.Producer.Transaction.ID != "" {
				if err := producer.BeginTxn(); err != nil {
					return err
				}
			}
			_, _, err = producer.SendMessage(&sarama.ProducerMessage{Topic: s.topic, Value: sarama.StringEncoder("lost")})
			return err
		}
	}
	idempotent := func(config *sarama.Config) {
		config.Producer.Idempotent, config.Producer.RequiredAcks, config.Net.MaxOpenRequests = true, sarama.WaitForAll, 1
	}
	s.bare("produce", "SendMessage", produce(func(*sarama.Config) {}))
	s.bare("produce with acks=0", "SendMessage", produce(func(config *sarama.Config) { config.Producer.RequiredAcks = sarama.NoResponse }))
	s.bare("produce idempotently", "SendMessage", produce(idempotent))
	s.bare("produce in a transaction", "BeginTxn", produce(func(config *sarama.Config) {
		idempotent(config)
		config.Producer.Transaction.ID = s.group
	}))
	s.bare("consume", "ConsumePartition", func() error {
		config := sarama.NewConfig()
		config.Version = sarama.MaxVersion
		config.Consumer.Return.Errors = true
		consumer, err := sarama.NewConsumer(s.servers, config)
		if err != nil {
			return err
		}
		defer consumer.Close()
		partition, err := consumer.ConsumePartition(s.topic, 0, sarama.OffsetOldest)
		if err != nil {
			return err
		}
		select {
		case err := <-partition.Errors():
			return err
		case <-partition.Messages():
			return nil
		}
	})
	s.call("consume in a group", "Consume", func(c context.Context) (any, error) {
		config := sarama.NewConfig()
		config.Version = sarama.MaxVersion
		group, err := sarama.NewConsumerGroup(s.servers, s.group, config)
		if err != nil {
			return nil, err
		}
		defer group.Close()
		bounded, cancel := context.WithTimeout(c, limit-time.Second)
		defer cancel()
		return nil, group.Consume(bounded, []string{s.topic}, nothing{})
	})
}

type nothing struct{}

func (nothing) Setup(sarama.ConsumerGroupSession) error   { return nil }
func (nothing) Cleanup(sarama.ConsumerGroupSession) error { return nil }
func (nothing) ConsumeClaim(_ sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim) error {
	if message, open := <-claim.Messages(); open && message != nil {
		return errors.New("a message")
	}
	return nil
}
