package fleet;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.Map;

/** `kraftsim up`, until it is closed. */
final class KraftsimCluster implements AutoCloseable {
    private final Process up;
    private final Map<String, String> addresses = new HashMap<>();

    KraftsimCluster() throws IOException {
        up = new ProcessBuilder("kraftsim", "up", "--clock", "auto",
                "--kafka-port", "0", "--controller-port", "0", "--http-port", "0")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader lines = up.inputReader();
        while (!addresses.containsKey("KRAFTSIM_CLUSTER_ID")) {
            String line = lines.readLine();
            if (line == null) {
                throw new IOException("kraftsim up ended before it was ready");
            }
            addresses.put(line.substring(0, line.indexOf('=')), line.substring(line.indexOf('=') + 1));
        }
    }

    String bootstrapServers() {
        return addresses.get("KRAFTSIM_BOOTSTRAP_SERVERS");
    }

    /** Calls a control operation of docs/http.md. */
    void post(String path, String body) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(addresses.get("KRAFTSIM_HTTP") + path))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        HttpResponse<String> response =
                HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            throw new IOException(path + ": " + response.body());
        }
    }

    @Override
    public void close() {
        up.destroy();
    }
}
