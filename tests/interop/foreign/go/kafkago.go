package main

import (
	"context"
	"reflect"
	"time"

	"github.com/segmentio/kafka-go"
)

func kafkaGo(s *scene) {
	client := kafkaGoClient(s)
	kafkaGoTopics(s, client)
	kafkaGoConfigs(s, client)
	kafkaGoPartitions(s, client)
	kafkaGoSecurity(s, client)
	kafkaGoGroups(s, client)
	kafkaGoTransactions(s, client)
	kafkaGoMessages(s, kafkaGoClient(s))
	s.call("deleteTopics", "DeleteTopics", func(c context.Context) (any, error) {
		return client.DeleteTopics(c, &kafka.DeleteTopicsRequest{Topics: []string{s.topic}})
	})
	s.complete(reflect.TypeOf(client), "RawProduce")
}

// A client that knows the leaders of now: kafka-go keeps them for 6 s, and repeats no request that another broker refused.
func kafkaGoClient(s *scene) *kafka.Client {
	return &kafka.Client{Addr: kafka.TCP(s.servers...), Timeout: limit, Transport: &kafka.Transport{}}
}

func kafkaGoTopics(s *scene, client *kafka.Client) {
	s.call("apiVersions", "ApiVersions", func(c context.Context) (any, error) { return client.ApiVersions(c, &kafka.ApiVersionsRequest{}) })
	s.call("createTopics", "CreateTopics", func(c context.Context) (any, error) {
		topic := kafka.TopicConfig{Topic: s.topic, NumPartitions: 2, ReplicationFactor: 1}
		return client.CreateTopics(c, &kafka.CreateTopicsRequest{Topics: []kafka.TopicConfig{topic}})
	})
	s.call("describeTopics", "Metadata", func(c context.Context) (any, error) {
		return client.Metadata(c, &kafka.MetadataRequest{Topics: []string{s.topic}})
	})
	s.call("createPartitions", "CreatePartitions", func(c context.Context) (any, error) {
		return client.CreatePartitions(c, &kafka.CreatePartitionsRequest{Topics: []kafka.TopicPartitionsConfig{{Name: s.topic, Count: 3}}})
	})
}

func kafkaGoConfigs(s *scene, client *kafka.Client) {
	s.call("describeConfigs", "DescribeConfigs", func(c context.Context) (any, error) {
		resource := kafka.DescribeConfigRequestResource{ResourceType: kafka.ResourceTypeTopic, ResourceName: s.topic}
		return client.DescribeConfigs(c, &kafka.DescribeConfigsRequest{Resources: []kafka.DescribeConfigRequestResource{resource}})
	})
	s.call("incrementalAlterConfigs", "IncrementalAlterConfigs", func(c context.Context) (any, error) {
		config := kafka.IncrementalAlterConfigsRequestConfig{Name: "retention.ms", Value: "60000"}
		resource := kafka.IncrementalAlterConfigsRequestResource{
			ResourceType: kafka.ResourceTypeTopic, ResourceName: s.topic,
			Configs: []kafka.IncrementalAlterConfigsRequestConfig{config},
		}
		return client.IncrementalAlterConfigs(c, &kafka.IncrementalAlterConfigsRequest{
			Resources: []kafka.IncrementalAlterConfigsRequestResource{resource},
		})
	})
	s.call("alterConfigs", "AlterConfigs", func(c context.Context) (any, error) {
		resource := kafka.AlterConfigRequestResource{
			ResourceType: kafka.ResourceTypeTopic, ResourceName: s.topic,
			Configs: []kafka.AlterConfigRequestConfig{{Name: "retention.ms", Value: "120000"}},
		}
		return client.AlterConfigs(c, &kafka.AlterConfigsRequest{Resources: []kafka.AlterConfigRequestResource{resource}})
	})
}

func kafkaGoPartitions(s *scene, client *kafka.Client) {
	s.call("electLeaders", "ElectLeaders", func(c context.Context) (any, error) {
		// without a Timeout kafka-go sends 0: released controllers answer REQUEST_TIMED_OUT (rule 0A.9)
		return client.ElectLeaders(c, &kafka.ElectLeadersRequest{Topic: s.topic, Partitions: []int{0, 1}, Timeout: limit})
	})
	s.call("alterPartitionReassignments", "AlterPartitionReassignments", func(c context.Context) (any, error) {
		assignment := kafka.AlterPartitionReassignmentsRequestAssignment{PartitionID: 0, BrokerIDs: []int{int(s.target)}}
		return client.AlterPartitionReassignments(c, &kafka.AlterPartitionReassignmentsRequest{
			Topic: s.topic, Assignments: []kafka.AlterPartitionReassignmentsRequestAssignment{assignment}, Timeout: limit,
		})
	})
	s.call("listPartitionReassignments", "ListPartitionReassignments", func(c context.Context) (any, error) {
		topics := map[string]kafka.ListPartitionReassignmentsRequestTopic{s.topic: {PartitionIndexes: []int{0, 1}}}
		return client.ListPartitionReassignments(c, &kafka.ListPartitionReassignmentsRequest{Topics: topics, Timeout: limit})
	})
	s.call("listOffsets", "ListOffsets", func(c context.Context) (any, error) {
		return kafkaGoClient(s).ListOffsets(c, &kafka.ListOffsetsRequest{Topics: map[string][]kafka.OffsetRequest{s.topic: {kafka.LastOffsetOf(0)}}})
	})
}

func kafkaGoSecurity(s *scene, client *kafka.Client) {
	s.call("alterClientQuotas", "AlterClientQuotas", func(c context.Context) (any, error) {
		entry := kafka.AlterClientQuotaEntry{
			Entities: []kafka.AlterClientQuotaEntity{{EntityType: "user", EntityName: s.topic}},
			Ops:      []kafka.AlterClientQuotaOps{{Key: "producer_byte_rate", Value: 1048576}},
		}
		return client.AlterClientQuotas(c, &kafka.AlterClientQuotasRequest{Entries: []kafka.AlterClientQuotaEntry{entry}})
	})
	s.call("describeClientQuotas", "DescribeClientQuotas", func(c context.Context) (any, error) {
		component := kafka.DescribeClientQuotasRequestComponent{EntityType: "user", MatchType: 0, Match: s.topic}
		return client.DescribeClientQuotas(c, &kafka.DescribeClientQuotasRequest{
			Components: []kafka.DescribeClientQuotasRequestComponent{component},
		})
	})
	s.call("alterUserScramCredentials", "AlterUserScramCredentials", func(c context.Context) (any, error) {
		credential := kafka.UserScramCredentialsUpsertion{
			Name: s.topic, Mechanism: kafka.ScramMechanismSha256, Iterations: 4096, Salt: []byte("salt"), SaltedPassword: []byte("salted"),
		}
		return client.AlterUserScramCredentials(c, &kafka.AlterUserScramCredentialsRequest{
			Upsertions: []kafka.UserScramCredentialsUpsertion{credential},
		})
	})
	s.call("describeUserScramCredentials", "DescribeUserScramCredentials", func(c context.Context) (any, error) {
		return client.DescribeUserScramCredentials(c, &kafka.DescribeUserScramCredentialsRequest{
			Users: []kafka.UserScramCredentialsUser{{Name: s.topic}},
		})
	})
	s.call("createAcls", "CreateACLs", func(c context.Context) (any, error) {
		return client.CreateACLs(c, &kafka.CreateACLsRequest{ACLs: []kafka.ACLEntry{{
			ResourceType: kafka.ResourceTypeTopic, ResourceName: s.topic, ResourcePatternType: kafka.PatternTypeLiteral,
			Principal: "User:" + s.topic, Host: "*", Operation: kafka.ACLOperationTypeRead, PermissionType: kafka.ACLPermissionTypeAllow,
		}}})
	})
	s.call("describeAcls", "DescribeACLs", func(c context.Context) (any, error) {
		return client.DescribeACLs(c, &kafka.DescribeACLsRequest{Filter: kafka.ACLFilter{
			ResourceTypeFilter: kafka.ResourceTypeTopic, ResourceNameFilter: s.topic, ResourcePatternTypeFilter: kafka.PatternTypeLiteral,
			Operation: kafka.ACLOperationTypeAny, PermissionType: kafka.ACLPermissionTypeAny,
		}})
	})
	s.call("deleteAcls", "DeleteACLs", func(c context.Context) (any, error) {
		return client.DeleteACLs(c, &kafka.DeleteACLsRequest{Filters: []kafka.DeleteACLsFilter{{
			ResourceTypeFilter: kafka.ResourceTypeTopic, ResourceNameFilter: s.topic, ResourcePatternTypeFilter: kafka.PatternTypeLiteral,
			Operation: kafka.ACLOperationTypeAny, PermissionType: kafka.ACLPermissionTypeAny,
		}}})
	})
}

func kafkaGoGroups(s *scene, client *kafka.Client) {
	s.call("listGroups", "ListGroups", func(c context.Context) (any, error) { return client.ListGroups(c, &kafka.ListGroupsRequest{}) })
	s.call("describeClassicGroups", "DescribeGroups", func(c context.Context) (any, error) {
		return client.DescribeGroups(c, &kafka.DescribeGroupsRequest{GroupIDs: []string{s.group}})
	})
	s.call("findGroupCoordinators", "FindCoordinator", func(c context.Context) (any, error) {
		return client.FindCoordinator(c, &kafka.FindCoordinatorRequest{Key: s.group, KeyType: kafka.CoordinatorKeyTypeConsumer})
	})
	s.call("listConsumerGroupOffsets", "OffsetFetch", func(c context.Context) (any, error) {
		return client.OffsetFetch(c, &kafka.OffsetFetchRequest{GroupID: s.group, Topics: map[string][]int{s.topic: {0}}})
	})
	s.call("listConsumerGroupOffsets by topic", "ConsumerOffsets", func(c context.Context) (any, error) {
		return client.ConsumerOffsets(c, kafka.TopicAndGroup{Topic: s.topic, GroupId: s.group})
	})
	s.call("alterConsumerGroupOffsets", "OffsetCommit", func(c context.Context) (any, error) {
		return client.OffsetCommit(c, &kafka.OffsetCommitRequest{
			GroupID: s.group, GenerationID: -1, Topics: map[string][]kafka.OffsetCommit{s.topic: {{Partition: 0}}},
		})
	})
	s.call("deleteConsumerGroupOffsets", "OffsetDelete", func(c context.Context) (any, error) {
		return client.OffsetDelete(c, &kafka.OffsetDeleteRequest{GroupID: s.group, Topics: map[string][]int{s.topic: {0}}})
	})
	s.call("joinGroup", "JoinGroup", func(c context.Context) (any, error) {
		return client.JoinGroup(c, &kafka.JoinGroupRequest{
			GroupID: s.group, SessionTimeout: 10 * time.Second, RebalanceTimeout: 10 * time.Second, ProtocolType: "consumer",
			Protocols: []kafka.GroupProtocol{{Name: "range", Metadata: kafka.GroupProtocolSubscription{Topics: []string{s.topic}}}},
		})
	})
	s.call("syncGroup", "SyncGroup", func(c context.Context) (any, error) {
		return client.SyncGroup(c, &kafka.SyncGroupRequest{GroupID: s.group, GenerationID: 1, MemberID: "member", ProtocolType: "consumer", ProtocolName: "range"})
	})
	s.call("heartbeat", "Heartbeat", func(c context.Context) (any, error) {
		return client.Heartbeat(c, &kafka.HeartbeatRequest{GroupID: s.group, GenerationID: 1, MemberID: "member"})
	})
	s.call("removeMembersFromConsumerGroup", "LeaveGroup", func(c context.Context) (any, error) {
		return client.LeaveGroup(c, &kafka.LeaveGroupRequest{GroupID: s.group, Members: []kafka.LeaveGroupRequestMember{{ID: "member"}}})
	})
	s.call("deleteConsumerGroups", "DeleteGroups", func(c context.Context) (any, error) {
		return client.DeleteGroups(c, &kafka.DeleteGroupsRequest{GroupIDs: []string{s.group}})
	})
}

func kafkaGoTransactions(s *scene, client *kafka.Client) {
	s.call("initProducerId", "InitProducerID", func(c context.Context) (any, error) {
		return client.InitProducerID(c, &kafka.InitProducerIDRequest{TransactionalID: s.group, TransactionTimeoutMs: 10000})
	})
	s.call("addPartitionsToTxn", "AddPartitionsToTxn", func(c context.Context) (any, error) {
		return client.AddPartitionsToTxn(c, &kafka.AddPartitionsToTxnRequest{
			TransactionalID: s.group, ProducerID: 1, Topics: map[string][]kafka.AddPartitionToTxn{s.topic: {{Partition: 0}}},
		})
	})
	s.call("addOffsetsToTxn", "AddOffsetsToTxn", func(c context.Context) (any, error) {
		return client.AddOffsetsToTxn(c, &kafka.AddOffsetsToTxnRequest{TransactionalID: s.group, ProducerID: 1, GroupID: s.group})
	})
	s.call("txnOffsetCommit", "TxnOffsetCommit", func(c context.Context) (any, error) {
		return client.TxnOffsetCommit(c, &kafka.TxnOffsetCommitRequest{
			TransactionalID: s.group, GroupID: s.group, ProducerID: 1, Topics: map[string][]kafka.TxnOffsetCommit{s.topic: {{Partition: 0}}},
		})
	})
	s.call("endTxn", "EndTxn", func(c context.Context) (any, error) {
		return client.EndTxn(c, &kafka.EndTxnRequest{TransactionalID: s.group, ProducerID: 1})
	})
}

func kafkaGoMessages(s *scene, client *kafka.Client) {
	write := func(acks kafka.RequiredAcks) func(context.Context) (any, error) {
		return func(c context.Context) (any, error) {
			writer := &kafka.Writer{
				Addr: kafka.TCP(s.servers...), Topic: s.topic, RequiredAcks: acks, BatchTimeout: time.Millisecond,
				// Of its own: a broker closes the connection of a message with acks=0.
				Transport: &kafka.Transport{},
			}
			defer writer.Close()
			return nil, writer.WriteMessages(c, kafka.Message{Value: []byte("lost")})
		}
	}
	read := func(config kafka.ReaderConfig) func(context.Context) (any, error) {
		return func(c context.Context) (any, error) {
			config.Brokers, config.Topic = s.servers, s.topic
			reader := kafka.NewReader(config)
			defer reader.Close()
			_, err := reader.ReadMessage(c)
			return nil, err
		}
	}
	s.call("produce in one request", "Produce", func(c context.Context) (any, error) {
		return client.Produce(c, &kafka.ProduceRequest{
			Topic: s.topic, RequiredAcks: kafka.RequireAll, Records: kafka.NewRecordReader(kafka.Record{Value: kafka.NewBytes([]byte("lost"))}),
		})
	})
	s.call("fetch in one request", "Fetch", func(c context.Context) (any, error) {
		return client.Fetch(c, &kafka.FetchRequest{Topic: s.topic, MinBytes: 1, MaxBytes: 1000, MaxWait: time.Second})
	})
	s.call("produce", "Writer.WriteMessages", write(kafka.RequireAll))
	s.call("produce with acks=0", "Writer.WriteMessages", write(kafka.RequireNone))
	s.call("consume", "Reader.ReadMessage", read(kafka.ReaderConfig{}))
	s.call("consume in a group", "Reader.ReadMessage", read(kafka.ReaderConfig{GroupID: s.group}))
}
