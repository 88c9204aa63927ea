import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicCollection;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionReplica;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.*;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.apache.kafka.common.quota.ClientQuotaFilter;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/**
 * Calls every method of Admin once, then producers and consumers, as
 * tests/interop/foreign/conversation.py says: servers, topic, broker of the moved replica, broker to
 * unregister. Methods are found by reflection, so one source serves every release.
 */
public class AdminCalls {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final BufferedReader INPUT = new BufferedReader(new InputStreamReader(System.in));
    private static final int LIMIT_MS = 40_000; // a released broker on a busy machine needs more than 15 s
    private static final int SHARE_POLLS = 5;
    /** They send no request. */
    private static final Set<String> LEFT_OUT = Set.of(
        "close", "create", "metrics", "registerMetricForSubscription", "unregisterMetricFromSubscription");

    private final String servers;
    private final String topic;
    private final String group;
    private final int target;
    private final int ghost;
    private final TopicPartition first;
    private final Map<String, Callable<Object[]>> calls = new LinkedHashMap<>();

    public static void main(String[] arguments) throws Exception {
        AdminCalls program = new AdminCalls(arguments);
        try (Admin admin = Admin.create(program.settings(Map.of("enable.metrics.push", "true")))) {
            program.callAll(admin);
        }
        System.exit(0); // threads of a client that did not end
    }

    private AdminCalls(String[] arguments) {
        servers = arguments[0];
        topic = arguments[1];
        group = topic + "-group";
        target = Integer.parseInt(arguments[2]);
        ghost = Integer.parseInt(arguments[3]);
        first = new TopicPartition(topic, 0);
        callTopics();
        callPartitions();
        callCluster();
        callSecurity();
        callGroups();
        callTransactions();
    }

    private void callAll(Admin admin) throws Exception {
        Map<String, Method> methods = new HashMap<>();
        Set<String> uncalled = new TreeSet<>();
        for (Method method : Admin.class.getMethods()) {
            uncalled.add(method.getName());
            if (Modifier.isAbstract(method.getModifiers())) {
                methods.put(method.getName(), method);
            }
        }
        for (Map.Entry<String, Callable<Object[]>> entry : calls.entrySet()) {
            Method method = methods.get(entry.getKey());
            if (method != null && !entry.getKey().equals("deleteTopics")) {
                call(entry.getKey(), () -> awaited(invoked(admin, method, entry.getValue().call())));
            }
        }
        messages();
        Method last = methods.get("deleteTopics");
        call("deleteTopics", () -> awaited(invoked(admin, last, calls.get("deleteTopics").call())));
        uncalled.removeAll(calls.keySet());
        uncalled.removeAll(LEFT_OUT);
        say(new LinkedHashMap<>(Map.of("outcome", "complete", "uncalled", uncalled)));
    }

    private void callTopics() {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        ConfigEntry minute = new ConfigEntry("retention.ms", "60000");
        ConfigEntry minutes = new ConfigEntry("retention.ms", "120000");
        calls.put("describeCluster", () -> new Object[] {});
        calls.put("createTopics", () -> new Object[] {List.of(new NewTopic(topic, 2, (short) 1))});
        calls.put("listTopics", () -> new Object[] {});
        calls.put("describeTopics", () -> new Object[] {TopicCollection.ofTopicNames(List.of(topic))});
        calls.put("createPartitions", () -> new Object[] {Map.of(topic, NewPartitions.increaseTo(3))});
        calls.put("describeConfigs", () -> new Object[] {List.of(resource)});
        calls.put("incrementalAlterConfigs", () -> new Object[] {
            Map.of(resource, List.of(new AlterConfigOp(minute, AlterConfigOp.OpType.SET)))});
        calls.put("alterConfigs", () -> new Object[] {Map.of(resource, new Config(List.of(minutes)))});
        calls.put("listConfigResources", () -> new Object[] {Set.of()});
        calls.put("listClientMetricsResources", () -> new Object[] {});
        calls.put("deleteTopics", () -> new Object[] {TopicCollection.ofTopicNames(List.of(topic))});
    }

    private void callPartitions() {
        TopicPartitionReplica replica = new TopicPartitionReplica(topic, 0, target);
        calls.put("electLeaders", () -> new Object[] {ElectionType.PREFERRED, Set.of(first)});
        calls.put("alterPartitionReassignments", () -> new Object[] {
            Map.of(first, Optional.of(new NewPartitionReassignment(List.of(target))))});
        calls.put("listPartitionReassignments", () -> new Object[] {Optional.empty()});
        calls.put("describeLogDirs", () -> new Object[] {List.of(target)});
        calls.put("describeReplicaLogDirs", () -> new Object[] {List.of(replica)});
        calls.put("alterReplicaLogDirs", () -> new Object[] {Map.of(replica, "/nowhere")});
        calls.put("deleteRecords", () -> new Object[] {Map.of(first, RecordsToDelete.beforeOffset(0))});
        calls.put("listOffsets", () -> new Object[] {Map.of(first, OffsetSpec.latest())});
    }

    private void callCluster() {
        FeatureUpdate update = new FeatureUpdate((short) 2, FeatureUpdate.UpgradeType.UPGRADE);
        RaftVoterEndpoint endpoint = new RaftVoterEndpoint("CONTROLLER", "127.0.0.1", 1);
        calls.put("describeFeatures", () -> new Object[] {});
        calls.put("updateFeatures", () -> new Object[] {Map.of("transaction.version", update)});
        calls.put("describeMetadataQuorum", () -> new Object[] {});
        calls.put("addRaftVoter", () -> new Object[] {ghost, new Uuid(1, 2), Set.of(endpoint)});
        calls.put("removeRaftVoter", () -> new Object[] {ghost, new Uuid(1, 2)});
        calls.put("unregisterBroker", () -> new Object[] {ghost});
        calls.put("clientInstanceId", () -> new Object[] {Duration.ofSeconds(1)});
    }

    private void callSecurity() {
        ResourcePattern pattern = new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL);
        AccessControlEntry entry = new AccessControlEntry(
            "User:" + topic, "*", AclOperation.READ, AclPermissionType.ALLOW);
        AclBinding binding = new AclBinding(pattern, entry);
        ClientQuotaEntity user = new ClientQuotaEntity(Map.of(ClientQuotaEntity.USER, topic));
        ClientQuotaAlteration.Op rate = new ClientQuotaAlteration.Op("producer_byte_rate", 1048576.0);
        ScramCredentialInfo scram = new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096);
        byte[] token = "token".getBytes();
        calls.put("createAcls", () -> new Object[] {List.of(binding)});
        calls.put("describeAcls", () -> new Object[] {binding.toFilter()});
        calls.put("deleteAcls", () -> new Object[] {List.of(binding.toFilter())});
        calls.put("alterClientQuotas", () -> new Object[] {
            List.of(new ClientQuotaAlteration(user, List.of(rate)))});
        calls.put("describeClientQuotas", () -> new Object[] {ClientQuotaFilter.all()});
        calls.put("alterUserScramCredentials", () -> new Object[] {
            List.of(new UserScramCredentialUpsertion(topic, scram, "secret"))});
        calls.put("describeUserScramCredentials", () -> new Object[] {List.of(topic)});
        calls.put("createDelegationToken", () -> new Object[] {});
        calls.put("renewDelegationToken", () -> new Object[] {token});
        calls.put("expireDelegationToken", () -> new Object[] {token});
        calls.put("describeDelegationToken", () -> new Object[] {});
    }

    private void callGroups() {
        Map<TopicPartition, OffsetAndMetadata> offsets = Map.of(first, new OffsetAndMetadata(0));
        List<String> groups = List.of(group);
        calls.put("listGroups", () -> new Object[] {});
        calls.put("listConsumerGroups", () -> new Object[] {});
        calls.put("describeConsumerGroups", () -> new Object[] {groups});
        calls.put("describeClassicGroups", () -> new Object[] {groups});
        calls.put("listConsumerGroupOffsets", () -> new Object[] {
            Map.of(group, new ListConsumerGroupOffsetsSpec())});
        calls.put("alterConsumerGroupOffsets", () -> new Object[] {group, offsets});
        calls.put("deleteConsumerGroupOffsets", () -> new Object[] {group, Set.of(first)});
        calls.put("removeMembersFromConsumerGroup", () -> new Object[] {group});
        calls.put("deleteConsumerGroups", () -> new Object[] {groups});
        String shared = topic + "-share";
        calls.put("describeShareGroups", () -> new Object[] {List.of(shared)});
        calls.put("alterShareGroupOffsets", () -> new Object[] {shared, Map.of(first, 0L)});
        calls.put("listShareGroupOffsets", () -> new Object[] {Map.of(shared, of("ListShareGroupOffsetsSpec"))});
        calls.put("deleteShareGroupOffsets", () -> new Object[] {shared, Set.of(topic)});
        calls.put("deleteShareGroups", () -> new Object[] {List.of(shared)});
        String streams = topic + "-streams";
        calls.put("describeStreamsGroups", () -> new Object[] {List.of(streams)});
        calls.put("alterStreamsGroupOffsets", () -> new Object[] {streams, offsets});
        calls.put("listStreamsGroupOffsets", () -> new Object[] {
            Map.of(streams, of("ListStreamsGroupOffsetsSpec"))});
        calls.put("deleteStreamsGroupOffsets", () -> new Object[] {streams, Set.of(first)});
        calls.put("deleteStreamsGroups", () -> new Object[] {List.of(streams)});
    }

    private void callTransactions() {
        calls.put("listTransactions", () -> new Object[] {});
        calls.put("describeTransactions", () -> new Object[] {List.of(group)});
        calls.put("describeProducers", () -> new Object[] {List.of(first)});
        calls.put("abortTransaction", () -> new Object[] {new AbortTransactionSpec(first, 1, (short) 0, 0)});
        calls.put("forceTerminateTransaction", () -> new Object[] {group});
        calls.put("fenceProducers", () -> new Object[] {List.of(group)});
    }

    private void messages() throws Exception {
        call("produce", () -> produced(Map.of("enable.idempotence", "false")));
        call("produce with acks=0", () -> produced(Map.of("acks", "0", "enable.idempotence", "false")));
        call("produce idempotently", () -> produced(Map.of()));
        call("produce in a transaction", () -> produced(Map.of("transactional.id", group)));
        call("consume", () -> consumed(Map.of()));
        call("consume in a group", () -> consumed(Map.of("group.id", group)));
        call("consume by the new protocol", () ->
            consumed(Map.of("group.id", group + "-new", "group.protocol", "consumer")));
        if (hasClass("org.apache.kafka.clients.admin.ListShareGroupOffsetsSpec")) { // since 4.1
            call("consume in a share group", this::shared);
        }
    }

    private Object produced(Map<String, String> settings) throws Exception {
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(settings(settings))) {
            ProducerRecord<byte[], byte[]> lost = new ProducerRecord<>(topic, "lost".getBytes());
            if (settings.containsKey("transactional.id")) {
                producer.initTransactions();
                producer.beginTransaction();
                producer.send(lost).get();
                producer.commitTransaction();
                return null;
            }
            return producer.send(lost).get();
        }
    }

    private Object consumed(Map<String, String> settings) {
        try (Consumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings(settings))) {
            if (settings.isEmpty()) {
                consumer.assign(List.of(first, new TopicPartition(topic, 1), new TopicPartition(topic, 2)));
            } else {
                consumer.subscribe(List.of(topic));
            }
            return records(consumer.poll(Duration.ofMillis(LIMIT_MS)).count());
        }
    }

    private Object shared() throws Exception {
        Class<?> kind = Class.forName("org.apache.kafka.clients.consumer.KafkaShareConsumer");
        Properties settings = settings(Map.of("group.id", topic + "-share"));
        settings.remove("auto.offset.reset");
        Object consumer = kind.getConstructor(Properties.class).newInstance(settings);
        try {
            kind.getMethod("subscribe", Collection.class).invoke(consumer, List.of(topic));
            for (int second = 0; second < SHARE_POLLS; second++) {
                kind.getMethod("poll", Duration.class).invoke(consumer, Duration.ofSeconds(1));
            }
            return null; // a share group reads what is produced after it has joined: nothing
        } finally {
            kind.getMethod("close", Duration.class).invoke(consumer, Duration.ofSeconds(1));
        }
    }

    private static Object records(int count) {
        if (count == 0) {
            throw new org.apache.kafka.common.errors.TimeoutException("no record came");
        }
        return count;
    }

    private Properties settings(Map<String, String> more) {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", servers);
        settings.put("default.api.timeout.ms", LIMIT_MS);
        settings.put("request.timeout.ms", LIMIT_MS - 1000);
        settings.put("delivery.timeout.ms", LIMIT_MS);
        settings.put("max.block.ms", LIMIT_MS);
        settings.put("auto.offset.reset", "earliest");
        for (String kind : List.of("key", "value")) {
            settings.put(kind + ".serializer", "org.apache.kafka.common.serialization.ByteArraySerializer");
            settings.put(kind + ".deserializer", "org.apache.kafka.common.serialization.ByteArrayDeserializer");
        }
        settings.putAll(more);
        return settings;
    }

    private static boolean hasClass(String name) {
        try {
            Class.forName(name);
            return true;
        } catch (ClassNotFoundException error) {
            return false;
        }
    }

    /** An object of a class of admin that older releases lack. */
    private static Object of(String name) throws Exception {
        return Class.forName("org.apache.kafka.clients.admin." + name).getConstructor().newInstance();
    }

    /** Calls an abstract method of Admin with the arguments, and with options if it has any. */
    private static Object invoked(Admin admin, Method method, Object[] arguments) throws Exception {
        Class<?>[] types = method.getParameterTypes();
        List<Object> all = new ArrayList<>(Arrays.asList(arguments));
        if (types.length > arguments.length) {
            all.add(types[types.length - 1].getConstructor().newInstance());
        }
        return method.invoke(admin, all.toArray());
    }

    /** Waits for every future that the result has, alone or in a map. */
    private static Object awaited(Object result) throws Exception {
        if (result == null || !result.getClass().getName().endsWith("Result")) {
            return result;
        }
        for (Method method : result.getClass().getMethods()) {
            if (method.getParameterCount() == 0 && Modifier.isPublic(method.getModifiers())) {
                Class<?> type = method.getReturnType();
                if (KafkaFuture.class.isAssignableFrom(type)) {
                    await(method.invoke(result));
                } else if (Map.class.isAssignableFrom(type)) {
                    Map<?, ?> futures = (Map<?, ?>) method.invoke(result);
                    for (Object future : futures == null ? List.of() : futures.values()) {
                        await(future);
                    }
                }
            }
        }
        return null;
    }

    private static void await(Object value) throws Exception {
        if (value instanceof KafkaFuture) {
            await(((KafkaFuture<?>) value).get());
        } else if (value instanceof Map) { // of a partition's election: an Optional with its error
            for (Object inner : ((Map<?, ?>) value).values()) {
                if (inner instanceof Optional && ((Optional<?>) inner).orElse(null) instanceof Exception) {
                    throw (Exception) ((Optional<?>) inner).get();
                }
            }
        }
    }

    private static void call(String name, Callable<Object> ask) throws Exception {
        Map<String, Object> line = new LinkedHashMap<>(Map.of("call", name, "method", name));
        long begin = System.nanoTime();
        CompletableFuture<Object> asked = CompletableFuture.supplyAsync(() -> {
            try {
                return String.valueOf(ask.call());
            } catch (Exception error) {
                throw new CompletionException(error);
            }
        });
        try {
            asked.get(LIMIT_MS + 2000, TimeUnit.MILLISECONDS);
            line.put("outcome", "result");
        } catch (java.util.concurrent.TimeoutException error) {
            line.put("outcome", "timeout");
        } catch (ExecutionException error) {
            describe(line, error);
        }
        line.put("milliseconds", (System.nanoTime() - begin) / 1_000_000);
        say(line);
    }

    private static void describe(Map<String, Object> line, Throwable error) {
        while (error.getCause() != null && (error instanceof ExecutionException
            || error instanceof CompletionException || error instanceof InvocationTargetException
            || error.getClass() == org.apache.kafka.common.KafkaException.class)) {
            error = error.getCause();
        }
        Errors known = Errors.forException(error);
        boolean isKafkas = known != Errors.UNKNOWN_SERVER_ERROR;
        line.put("outcome", isKafkas ? "refusal" : "error");
        line.put("code", isKafkas ? (int) known.code() : 0);
        line.put("text", isKafkas ? String.valueOf(error.getMessage()) : error.toString());
    }

    private static void say(Map<String, Object> line) throws Exception {
        System.out.println(JSON.writeValueAsString(line));
        INPUT.readLine();
    }
}
