package fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.common.Node;
import org.junit.jupiter.api.Test;

class FencingTest {
    @Test
    void aKilledBrokerIsFenced() throws Exception {
        try (KraftsimCluster cluster = new KraftsimCluster()) {
            cluster.post("/sim/brokers/2/kill", "{}");
            cluster.post("/sim/clock/run-until", "{\"kind\": \"broker_fenced\", \"broker\": 2}");

            try (Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrapServers()))) {
                DescribeClusterOptions options = new DescribeClusterOptions().includeFencedBrokers(true);
                Map<Integer, Boolean> fenced = admin.describeCluster(options).nodes().get().stream()
                        .collect(Collectors.toMap(Node::id, Node::isFenced));
                assertEquals(Map.of(1, false, 2, true, 3, false), fenced);
            }
        }
    }
}
