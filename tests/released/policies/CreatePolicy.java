import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.server.policy.CreateTopicPolicy;
/** Refuses topics by name and prints what Kafka asks; tests/differential/policies.py says the same. */
public class CreatePolicy implements CreateTopicPolicy {
    public void configure(Map<String, ?> configs) {}
    public void close() {}
    public void validate(RequestMetadata m) {
        if (m.topic().startsWith("broken")) throw new IllegalStateException("broken policy");
        if (m.topic().startsWith("refused") || m.topic().equals("t3"))
            throw new PolicyViolationException(m.topic() + " " + m.numPartitions() + " " + m.replicationFactor() + " " + m.replicasAssignments() + " " + (m.configs() == null ? null : new TreeMap<>(m.configs())));
    }
}
