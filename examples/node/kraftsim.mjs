import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const FREE_PORTS = ["--kafka-port", "0", "--controller-port", "0", "--http-port", "0"];

/** Runs `kraftsim up` until the test ends, and returns its addresses. */
export async function startCluster(test) {
  const up = spawn("kraftsim", ["up", "--clock", "auto", ...FREE_PORTS], { stdio: ["ignore", "pipe", "inherit"] });
  test.after(() => up.kill("SIGTERM"));
  const addresses = {};
  for await (const line of createInterface({ input: up.stdout })) {
    const [name, address] = line.split("=", 2);
    addresses[name] = address;
    if (name === "KRAFTSIM_CLUSTER_ID") return addresses;
  }
  throw new Error("kraftsim up ended before it was ready");
}

/** Calls a control operation of docs/http.md. */
export async function post(url, body) {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url}: ${await response.text()}`);
  return response.json();
}
