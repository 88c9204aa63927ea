import assert from "node:assert/strict";
import { test } from "node:test";

import kafkajs from "kafkajs";

import { post, startCluster } from "./kraftsim.mjs";

test("a killed broker is fenced, and clients no longer see it", async (t) => {
  const cluster = await startCluster(t);
  await post(`${cluster.KRAFTSIM_HTTP}/sim/brokers/2/kill`, {});
  await post(`${cluster.KRAFTSIM_HTTP}/sim/clock/run-until`, { kind: "broker_fenced", broker: 2 });

  const brokers = cluster.KRAFTSIM_BOOTSTRAP_SERVERS.split(",");
  const admin = new kafkajs.Kafka({ brokers, logLevel: kafkajs.logLevel.NOTHING }).admin();
  await admin.connect();
  const described = await admin.describeCluster();
  await admin.disconnect();

  assert.deepEqual(described.brokers.map((broker) => broker.nodeId).sort(), [1, 3]);
});
