// Calls every method of kafkajs's admin client once, then producers and consumers, as
// tests/interop/foreign/conversation.py says: servers, topic, broker of the moved replica, an id.
import { createInterface } from 'node:readline'
import kafkajs from 'kafkajs'

const { Kafka, KafkaJSProtocolError, KafkaJSNumberOfRetriesExceeded, logLevel } = kafkajs
const LIMIT_MS = 15_000
const LEFT_OUT = ['connect', 'disconnect', 'events', 'on', 'logger', 'resetOffsets']

const [servers, topic, target] = process.argv.slice(2)
const groupId = `${topic}-group`
const kafka = new Kafka({ brokers: servers.split(','), logLevel: logLevel.NOTHING })
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const called = new Set(LEFT_OUT)

async function say(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`)
  await lines.next()
}

async function call(name, method, ask) {
  called.add(method)
  const begin = Date.now()
  let timer
  const bound = new Promise((resolve) => {
    timer = setTimeout(() => resolve({ outcome: 'timeout' }), LIMIT_MS)
  })
  const asked = Promise.resolve().then(ask).then(() => ({ outcome: 'result' }), describe)
  const outcome = await Promise.race([asked, bound])
  clearTimeout(timer)
  await say({ call: name, method, ...outcome, milliseconds: Date.now() - begin })
}

function describe(error) {
  for (const inner of [...(error.errors ?? []), error, error.cause]) {
    if (inner instanceof KafkaJSProtocolError) {
      return { outcome: 'refusal', code: inner.code, text: inner.message }
    }
  }
  const last = error instanceof KafkaJSNumberOfRetriesExceeded ? error.cause : error
  return { outcome: 'error', text: `${last.name}: ${last.message}` }
}

const admin = kafka.admin()
await admin.connect()
const resource = { type: 2, name: topic }
await call('describeCluster', 'describeCluster', () => admin.describeCluster())
await call('createTopics', 'createTopics', () =>
  admin.createTopics({ topics: [{ topic, numPartitions: 2, replicationFactor: 1 }] }))
await call('listTopics', 'listTopics', () => admin.listTopics())
await call('describeTopics', 'fetchTopicMetadata', () => admin.fetchTopicMetadata({ topics: [topic] }))
await call('createPartitions', 'createPartitions', () =>
  admin.createPartitions({ topicPartitions: [{ topic, count: 3 }] }))
await call('describeConfigs', 'describeConfigs', () => admin.describeConfigs({ resources: [resource] }))
await call('alterConfigs', 'alterConfigs', () => admin.alterConfigs({
  resources: [{ ...resource, configEntries: [{ name: 'retention.ms', value: '120000' }] }],
}))
await call('alterPartitionReassignments', 'alterPartitionReassignments', () =>
  admin.alterPartitionReassignments({
    topics: [{ topic, partitionAssignment: [{ partition: 0, replicas: [Number(target)] }] }],
  }))
await call('listPartitionReassignments', 'listPartitionReassignments', () =>
  admin.listPartitionReassignments({ topics: [{ topic, partitions: [0, 1] }] }))
await call('listOffsets', 'fetchTopicOffsets', () => admin.fetchTopicOffsets(topic))
await call('listOffsets by time', 'fetchTopicOffsetsByTimestamp', () =>
  admin.fetchTopicOffsetsByTimestamp(topic, Date.now()))
await call('deleteRecords', 'deleteTopicRecords', () =>
  admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '0' }] }))
const acl = {
  resourceType: 2, resourceName: topic, resourcePatternType: 3,
  principal: `User:${topic}`, host: '*', operation: 3, permissionType: 3,
}
await call('createAcls', 'createAcls', () => admin.createAcls({ acl: [acl] }))
await call('describeAcls', 'describeAcls', () => admin.describeAcls(acl))
await call('deleteAcls', 'deleteAcls', () => admin.deleteAcls({ filters: [acl] }))
await call('listGroups', 'listGroups', () => admin.listGroups())
await call('describeClassicGroups', 'describeGroups', () => admin.describeGroups([groupId]))
await call('listConsumerGroupOffsets', 'fetchOffsets', () => admin.fetchOffsets({ groupId, topics: [topic] }))
await call('alterConsumerGroupOffsets', 'setOffsets', () =>
  admin.setOffsets({ groupId, topic, partitions: [{ partition: 0, offset: '0' }] }))
await call('deleteConsumerGroups', 'deleteGroups', () => admin.deleteGroups([groupId]))

async function produced(options, acks) {
  const producer = kafka.producer(options)
  await producer.connect()
  try {
    const sender = options.transactionalId ? await producer.transaction() : producer
    await sender.send({ topic, acks, messages: [{ value: 'lost' }] })
  } finally {
    await producer.disconnect()
  }
}

async function consumed() {
  const consumer = kafka.consumer({ groupId })
  await consumer.connect()
  try {
    await consumer.subscribe({ topics: [topic], fromBeginning: true })
    await new Promise((resolve, reject) => {
      consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error))
      consumer.run({ eachMessage: async () => resolve() }).catch(reject)
    })
  } finally {
    await consumer.disconnect()
  }
}

await call('produce', 'producer', () => produced({}, -1))
await call('produce with acks=0', 'producer', () => produced({}, 0))
await call('produce idempotently', 'producer', () => produced({ idempotent: true }, -1))
await call('produce in a transaction', 'producer', () =>
  produced({ transactionalId: groupId, maxInFlightRequests: 1, idempotent: true }, -1))
await call('consume in a group', 'consumer', consumed)
await call('deleteTopics', 'deleteTopics', () => admin.deleteTopics({ topics: [topic] }))
await say({ outcome: 'complete', uncalled: Object.keys(admin).filter((name) => !called.has(name)) })
await admin.disconnect()
process.exit(0)
