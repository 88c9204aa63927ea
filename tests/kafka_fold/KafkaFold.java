import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.KRaftVersionRecord;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.SnapshotHeaderRecord;
import org.apache.kafka.common.message.VotersRecord;
import org.apache.kafka.common.metadata.MetadataJsonConverters;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.utils.BufferSupplier;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.controller.ControllerRequestContext;
import org.apache.kafka.controller.QuorumController;
import org.apache.kafka.controller.QuorumFeatures;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.MetadataProvenance;
import org.apache.kafka.image.loader.MetadataBatchLoader;
import org.apache.kafka.image.writer.ImageWriterOptions;
import org.apache.kafka.image.writer.RecordListWriter;
import org.apache.kafka.metadata.KafkaConfigSchema;
import org.apache.kafka.metadata.MetadataRecordSerde;
import org.apache.kafka.metadata.SupportedConfigChecker;
import org.apache.kafka.metadata.bootstrap.BootstrapMetadata;
import org.apache.kafka.raft.Batch;
import org.apache.kafka.raft.ControlRecord;
import org.apache.kafka.raft.LeaderAndEpoch;
import org.apache.kafka.raft.RaftClient;
import org.apache.kafka.raft.internals.MemoryBatchReader;
import org.apache.kafka.raft.internals.RecordsIterator;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.apache.kafka.server.common.KRaftVersion;
import org.apache.kafka.server.common.MetadataVersion;
import org.apache.kafka.server.common.OffsetAndEpoch;
import org.apache.kafka.server.fault.FaultHandler;
import org.apache.kafka.snapshot.SnapshotReader;

/**
 * Folds the metadata logs of kraftsim with a released Kafka, and compares states.
 *
 * Reads one question a line, and prints one line for each. A question has the bytes of a `log`, and
 * `states`: the bytes of a snapshot, or of an image written as one, with the offset and epoch where
 * it ends. The answer is a JSON array of texts: what Kafka refuses, and what differs.
 */
public class KafkaFold {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int BATCH_BYTES_MAX = 8 * 1024 * 1024;
    private static final int SHOWN_MAX = 6;

    private final List<String> findings = new ArrayList<>();
    private final Map<Long, MetadataImage> images = new HashMap<>();

    public static void main(String[] arguments) throws Exception {
        PrintStream answers = System.out;
        System.setOut(System.err);
        BufferedReader questions =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = questions.readLine(); line != null; line = questions.readLine()) {
            answers.println(JSON.writeValueAsString(new KafkaFold().judge(JSON.readTree(line))));
            answers.flush();
        }
    }

    private List<String> judge(JsonNode question) throws Exception {
        List<Batch<ApiMessageAndVersion>> log = batches(question.get("log").binaryValue());
        FaultHandler faults = this::refuse;
        MetadataImage end = fold("the log", MetadataImage.EMPTY, log, images, faults);
        replayInController("the log", null, log);
        for (JsonNode state : question.get("states")) {
            judgeState(new State(state), log, end);
        }
        return findings;
    }

    private void judgeState(State state, List<Batch<ApiMessageAndVersion>> log, MetadataImage end)
            throws Exception {
        MetadataImage folded = images.get(state.endOffset);
        if (folded == null) {
            findings.add(state.name + ": no batch of the log ends at " + state.endOffset);
            return;
        }
        List<ApiMessageAndVersion> kafkas = written(state.name, folded);
        compareRecords(state, kafkas);
        if (state.isSnapshot) {
            compareHeader(state, folded, log);
            List<Batch<ApiMessageAndVersion>> tail = new ArrayList<>(log);
            tail.removeIf(batch -> batch.baseOffset() < state.endOffset);
            // While ELR is disabled, Kafka's own snapshots lack the ELRs that the image has.
            boolean isLossless = folded.equals(load("Kafka's own snapshot", kafkas, folded.provenance()));
            MetadataImage loaded = load(state.name, state.records(), state.provenance());
            same(state.name + " as an image", isLossless ? folded : loaded, loaded);
            MetadataImage later = fold(state.name + " and its tail", loaded, tail, null, this::refuse);
            same(state.name + " and its tail", isLossless ? end : later, later);
            replayInController(state.name + " and its tail", state, tail);
        }
    }

    /** One state of ours: records in the bytes of a snapshot. */
    private static class State {
        final String name;
        final long endOffset;
        final int epoch;
        final boolean isSnapshot;
        final List<Batch<ApiMessageAndVersion>> batches;

        State(JsonNode state) throws Exception {
            name = state.get("name").asText();
            endOffset = state.get("end_offset").asLong();
            epoch = state.get("epoch").asInt();
            isSnapshot = state.get("is_snapshot").asBoolean();
            batches = batches(state.get("data").binaryValue());
        }

        MetadataProvenance provenance() {
            long timestamp = header(SnapshotHeaderRecord.class).lastContainedLogTimestamp();
            return new MetadataProvenance(endOffset - 1, epoch, timestamp, true);
        }

        List<ApiMessageAndVersion> records() {
            List<ApiMessageAndVersion> records = new ArrayList<>();
            batches.forEach(batch -> records.addAll(batch.records()));
            return records;
        }

        <T extends ApiMessage> T header(Class<T> type) {
            return lastControl(batches, type, Long.MAX_VALUE);
        }
    }

    // Bytes

    private static List<Batch<ApiMessageAndVersion>> batches(byte[] data) throws Exception {
        List<Batch<ApiMessageAndVersion>> found = new ArrayList<>();
        MemoryRecords records = MemoryRecords.readableRecords(ByteBuffer.wrap(data));
        try (RecordsIterator<ApiMessageAndVersion> reader = new RecordsIterator<>(
                records, MetadataRecordSerde.INSTANCE, BufferSupplier.NO_CACHING,
                Math.max(BATCH_BYTES_MAX, data.length), true, new LogContext())) {
            reader.forEachRemaining(found::add);
        }
        return found;
    }

    private static <T extends ApiMessage> T lastControl(
            List<Batch<ApiMessageAndVersion>> batches, Class<T> type, long endOffset) {
        T last = null;
        for (Batch<ApiMessageAndVersion> batch : batches) {
            for (ControlRecord record : batch.controlRecords()) {
                if (batch.baseOffset() < endOffset && type.isInstance(record.message())) {
                    last = type.cast(record.message());
                }
            }
        }
        return last;
    }

    // The fold of brokers and of snapshots: MetadataDelta and MetadataImage

    private static MetadataImage fold(
            String name, MetadataImage start, List<Batch<ApiMessageAndVersion>> batches,
            Map<Long, MetadataImage> images, FaultHandler faults) {
        MetadataImage[] current = {start};
        MetadataBatchLoader loader = new MetadataBatchLoader(
            new LogContext(), Time.SYSTEM,
            (message, cause) -> faults.handleFault(name + ": " + message, cause),
            (delta, image, manifest) -> current[0] = image, SupportedConfigChecker.TRUE);
        loader.resetToImage(start);
        for (Batch<ApiMessageAndVersion> batch : batches) {
            LeaderAndEpoch leader = new LeaderAndEpoch(OptionalInt.empty(), batch.epoch());
            loader.loadBatch(batch, leader);
            loader.maybeFlushBatches(leader, true);
            if (images != null) {
                images.put(batch.lastOffset() + 1, current[0]);
            }
        }
        return current[0];
    }

    private MetadataImage load(
            String name, List<ApiMessageAndVersion> records, MetadataProvenance provenance) {
        MetadataDelta delta = new MetadataDelta.Builder().build();
        for (ApiMessageAndVersion record : records) {
            try {
                delta.replay(record.message());
            } catch (Exception error) {
                refuse(name + ": " + record, error);
            }
        }
        delta.finishSnapshot();
        return delta.apply(provenance);
    }

    private List<ApiMessageAndVersion> written(String name, MetadataImage image) {
        RecordListWriter writer = new RecordListWriter();
        image.write(writer, new ImageWriterOptions.Builder(image)
            .setLossHandler(loss -> refuse(name + ": lost in Kafka's snapshot", loss))
            .build());
        return writer.records();
    }

    // The fold of controllers, which is stricter: QuorumController as a follower

    private void replayInController(
            String name, State snapshot, List<Batch<ApiMessageAndVersion>> log) throws Exception {
        Follower raft = new Follower();
        FaultHandler faults = (message, cause) -> refuse(name + " in a controller: " + message, cause);
        QuorumController controller = new QuorumController.Builder(raft.nodeId, "fold")
            .setRaftClient(raft.client())
            .setBootstrapMetadata(BootstrapMetadata.fromVersion(MetadataVersion.latestProduction(), "fold"))
            .setQuorumFeatures(new QuorumFeatures(
                raft.nodeId, QuorumFeatures.defaultSupportedFeatureMap(true), List.of(raft.nodeId)))
            .setConfigSchema(KafkaConfigSchema.EMPTY)
            .setFatalFaultHandler(faults)
            .setNonFatalFaultHandler(faults)
            .build();
        try {
            if (snapshot != null) {
                raft.listener.handleLoadSnapshot(readerOf(snapshot));
            }
            if (!log.isEmpty()) {
                raft.listener.handleCommit(MemoryBatchReader.of(log, reader -> { }));
            }
            controller.findAllTopicIds(anyone()).get(30, TimeUnit.SECONDS);
        } finally {
            controller.close();
        }
    }

    private static ControllerRequestContext anyone() {
        return new ControllerRequestContext(
            new RequestHeaderData(), KafkaPrincipal.ANONYMOUS, OptionalLong.empty());
    }

    /** A RaftClient that only remembers its listener. */
    private static class Follower {
        final int nodeId = 9999;
        RaftClient.Listener<ApiMessageAndVersion> listener;

        @SuppressWarnings("unchecked")
        RaftClient<ApiMessageAndVersion> client() {
            return (RaftClient<ApiMessageAndVersion>) Proxy.newProxyInstance(
                KafkaFold.class.getClassLoader(), new Class<?>[] {RaftClient.class},
                (proxy, method, arguments) -> {
                    switch (method.getName()) {
                        case "register":
                            listener = (RaftClient.Listener<ApiMessageAndVersion>) arguments[0];
                            return null;
                        case "leaderAndEpoch":
                            return new LeaderAndEpoch(OptionalInt.empty(), 0);
                        case "nodeId":
                            return OptionalInt.of(nodeId);
                        case "kraftVersion":
                            return KRaftVersion.KRAFT_VERSION_1;
                        case "unregister":
                        case "close":
                            return null;
                        default:
                            throw new UnsupportedOperationException(method.getName());
                    }
                });
        }
    }

    private static SnapshotReader<ApiMessageAndVersion> readerOf(State state) {
        var batches = state.batches.iterator();
        return new SnapshotReader<>() {
            public OffsetAndEpoch snapshotId() {
                return new OffsetAndEpoch(state.endOffset, state.epoch);
            }

            public long lastContainedLogOffset() {
                return state.endOffset - 1;
            }

            public int lastContainedLogEpoch() {
                return state.epoch;
            }

            public long lastContainedLogTimestamp() {
                return state.provenance().lastContainedLogTimeMs();
            }

            public boolean hasNext() {
                return batches.hasNext();
            }

            public Batch<ApiMessageAndVersion> next() {
                return batches.next();
            }

            public void close() {
            }
        };
    }

    // Comparisons

    private RuntimeException refuse(String message, Throwable cause) {
        findings.add(message + ": " + cause);
        return new RuntimeException(message, cause);
    }

    private void compareRecords(State state, List<ApiMessageAndVersion> records) {
        List<String> kafkas = lines(records);
        List<String> own = lines(state.records());
        report(state.name + ": only Kafka's fold has", without(kafkas, own));
        report(state.name + ": only ours has", without(own, kafkas));
    }

    private void compareHeader(
            State state, MetadataImage folded, List<Batch<ApiMessageAndVersion>> log) {
        same(state.name + ", its end", folded.provenance(), state.provenance());
        same(state.name + ", its kraft.version",
            lastControl(log, KRaftVersionRecord.class, state.endOffset),
            state.header(KRaftVersionRecord.class));
        same(state.name + ", its voters",
            lastControl(log, VotersRecord.class, state.endOffset), state.header(VotersRecord.class));
    }

    private void same(String name, Object kafkas, Object ours) {
        if (kafkas == null ? ours != null : !kafkas.equals(ours)) {
            findings.add(name + ": expected " + kafkas + ", got " + ours);
        }
    }

    private void report(String name, List<String> lines) {
        for (String line : lines.subList(0, Math.min(SHOWN_MAX, lines.size()))) {
            findings.add(name + ": " + line);
        }
    }

    private static List<String> without(List<String> lines, List<String> others) {
        List<String> left = new ArrayList<>(lines);
        others.forEach(left::remove);
        return left;
    }

    private static List<String> lines(List<ApiMessageAndVersion> records) {
        List<String> lines = new ArrayList<>();
        for (ApiMessageAndVersion record : records) {
            ObjectNode line = JSON.createObjectNode();
            line.put("type", record.message().getClass().getSimpleName());
            line.put("version", record.version());
            JsonNode data = MetadataJsonConverters.writeJson(record.message(), record.version());
            for (String field : List.of("features", "endPoints")) {
                if (data.get(field) instanceof ArrayNode) {
                    sort((ArrayNode) data.get(field));
                }
            }
            line.set("data", data);
            lines.add(line.toString());
        }
        return lines;
    }

    /** Kafka keeps features and listeners of a broker in hash maps, whose order says nothing. */
    private static void sort(ArrayNode array) {
        List<JsonNode> members = new ArrayList<>();
        array.forEach(members::add);
        members.sort(Comparator.comparing(JsonNode::toString));
        array.removeAll().addAll(members);
    }
}
