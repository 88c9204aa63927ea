package fleet

import (
	"bufio"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// startCluster runs `kraftsim up` until the test ends, and returns its addresses.
func startCluster(t *testing.T) map[string]string {
	t.Helper()
	up := exec.Command("kraftsim", "up", "--clock", "auto",
		"--kafka-port", "0", "--controller-port", "0", "--http-port", "0")
	stdout, err := up.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := up.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = up.Process.Signal(syscall.SIGTERM)
		_ = up.Wait()
	})
	addresses := map[string]string{}
	lines := bufio.NewScanner(stdout)
	for addresses["KRAFTSIM_CLUSTER_ID"] == "" && lines.Scan() {
		name, address, _ := strings.Cut(lines.Text(), "=")
		addresses[name] = address
	}
	return addresses
}

// post calls a control operation of docs/http.md.
func post(t *testing.T, url string, body string) {
	t.Helper()
	response, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", url, response.Status)
	}
}
