import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.server.policy.AlterConfigPolicy;
/** Refuses retention.ms and prints what Kafka asks; tests/differential/policies.py says the same. */
public class AlterPolicy implements AlterConfigPolicy {
    public void configure(Map<String, ?> configs) {}
    public void close() {}
    public void validate(RequestMetadata m) {
        if ("666".equals(m.configs().get("segment.ms"))) throw new IllegalStateException("broken policy");
        if (m.configs().containsKey("retention.ms"))
            throw new PolicyViolationException(m.resource() + " " + new TreeMap<>(m.configs()));
    }
}
