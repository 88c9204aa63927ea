import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.utils.Utils;

/**
 * What a released Kafka makes of property files. `keys` prints the definition of every key;
 * `read` reads a JSON array of texts on stdin, writes each to a file in UTF-8, and prints the
 * pairs that Kafka reads from it, and the message with which KafkaConfig refuses them, or null.
 */
public class ReadProperties {
    private static final ObjectMapper JSON = new ObjectMapper();

    public static void main(String[] arguments) throws Exception {
        Object result = arguments[0].equals("keys") ? keys() : read();
        System.out.println(JSON.writeValueAsString(result));
    }

    private static List<Object> read() throws Exception {
        List<Object> answers = new ArrayList<>();
        Path file = Files.createTempFile("kraftsim", ".properties");
        for (Object text : JSON.readValue(System.in, List.class)) {
            Files.writeString(file, (String) text);
            Properties properties = Utils.loadProps(file.toString());
            Map<String, Object> answer = new LinkedHashMap<>();
            answer.put("pairs", new TreeMap<>(properties));
            answer.put("message", refusal(properties));
            answers.add(answer);
        }
        Files.delete(file);
        return answers;
    }

    private static String refusal(Properties properties) {
        try {
            KafkaConfig.fromProps(properties);
            return null;
        } catch (Exception error) {
            return String.valueOf(error.getMessage());
        }
    }

    private static List<Object> keys() throws Exception {
        ConfigDef definition = (ConfigDef) KafkaConfig.class.getMethod("configDef").invoke(null);
        List<Object> found = new ArrayList<>();
        Map<?, ?> modes = updateModes();
        for (ConfigDef.ConfigKey key : definition.configKeys().values()) {
            Map<String, Object> row = described(key);
            row.put("mode", modes.get(key.name));
            found.add(row);
        }
        for (ConfigDef.ConfigKey key : quotaDefinition().configKeys().values()) {
            if (!definition.configKeys().containsKey(key.name)) {
                Map<String, Object> row = described(key);
                row.put("mode", "quota");
                found.add(row);
            }
        }
        return found;
    }

    /** Which configurations may change while a broker runs: "per-broker" or "cluster-wide". */
    private static Map<?, ?> updateModes() throws Exception {
        String verb = "dynamicConfigUpdateModes";
        try {
            Class<?> java = Class.forName("org.apache.kafka.server.config.DynamicBrokerConfig");
            return (Map<?, ?>) java.getMethod(verb).invoke(null);
        } catch (ClassNotFoundException before43) {
            Class<?> scala = Class.forName("kafka.server.DynamicBrokerConfig$");
            return (Map<?, ?>) scala.getMethod(verb).invoke(scala.getField("MODULE$").get(null));
        }
    }

    /** What a broker takes in its dynamic configurations and in no property file. */
    private static ConfigDef quotaDefinition() throws Exception {
        Class<?> quotas;
        try {
            quotas = Class.forName("org.apache.kafka.server.config.QuotaConfig");
        } catch (ClassNotFoundException before40) {
            quotas = Class.forName("org.apache.kafka.server.config.QuotaConfigs");
        }
        return (ConfigDef) quotas.getMethod("brokerQuotaConfigs").invoke(null);
    }

    private static Map<String, Object> described(ConfigDef.ConfigKey key) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("name", key.name);
        row.put("type", key.type.toString());
        row.put("default", key.hasDefault() ? shown(key) : "(required)");
        row.put("valid", key.validator == null ? "" : key.validator.toString());
        row.put("may_be_empty", key.type != ConfigDef.Type.LIST || mayBeEmpty(key));
        row.put("is_internal", key.internalConfig);
        return row;
    }

    private static boolean mayBeEmpty(ConfigDef.ConfigKey key) {
        try {
            if (key.validator != null) {
                key.validator.ensureValid(key.name, List.of());
            }
            return true;
        } catch (ConfigException error) {
            return false;
        }
    }

    private static String shown(ConfigDef.ConfigKey key) {
        return key.defaultValue == null ? null : ConfigDef.convertToString(key.defaultValue, key.type);
    }
}
