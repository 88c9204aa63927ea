import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.common.utils.Exit;

/**
 * Runs Kafka's command line tools one after the other in this process. Each line of stdin is
 * {"main": class, "words": [argument, ...], "in": text of stdin}; each line of stdout that begins with {"exit" is the
 * answer: exit code, stdout and stderr of that tool. Starting a Java virtual machine for each tool
 * would take a second each.
 */
public class RunTools {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** The code of the tool's first Exit.exit, or null. */
    private static Integer exitCode;

    /** Ends a tool that calls Exit.exit. */
    private static final class Ended extends Error {
        Ended() {
            super(null, null, false, false);
        }
    }

    /** Some tools catch their own end, and would print it. */
    private static void end(int code, String message) {
        if (exitCode == null) {
            exitCode = code;
            System.setOut(new PrintStream(OutputStream.nullOutputStream()));
            System.setErr(new PrintStream(OutputStream.nullOutputStream()));
        }
        throw new Ended();
    }

    public static void main(String[] arguments) throws Exception {
        PrintStream answers = System.out;
        PrintStream log = System.err;
        Exit.setExitProcedure(RunTools::end);
        Exit.setHaltProcedure(RunTools::end);
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            JsonNode asked = JSON.readTree(line);
            String[] words = JSON.convertValue(asked.get("words"), String[].class);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            ByteArrayOutputStream err = new ByteArrayOutputStream();
            Map<String, Object> answer = new LinkedHashMap<>();
            System.setIn(new ByteArrayInputStream(asked.get("in").asText().getBytes(StandardCharsets.UTF_8)));
            System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
            System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
            answer.put("exit", exitOf(asked.get("main").asText(), words));
            System.setOut(log);
            System.setErr(log);
            answer.put("stdout", out.toString(StandardCharsets.UTF_8));
            answer.put("stderr", err.toString(StandardCharsets.UTF_8));
            answers.println(JSON.writeValueAsString(answer));
            answers.flush();
        }
    }

    private static int exitOf(String main, String[] words) throws Exception {
        exitCode = null;
        try {
            Class.forName(main).getMethod("main", String[].class).invoke(null, (Object) words);
        } catch (InvocationTargetException thrown) {
            if (exitCode == null) {
                thrown.getCause().printStackTrace();
                exitCode = 1;
            }
        }
        return exitCode == null ? 0 : exitCode;
    }
}
