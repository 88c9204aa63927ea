// Kafka's and Raft's terms on the page, the same as in docs/glossary.md.

export const GLOSSARY = {
  lease: "A broker may serve while its lease lasts: one session timeout (9 s) from its last heartbeat.",
  fenced: "A fenced broker leads no partition and is in no ISR; clients are not sent to it.",
  unfenced: "An unfenced broker is in service: it may lead partitions.",
  "shutting down": "A broker in controlled shutdown: its leaderships move to others before it ends.",
  unregistered: "The log has no registration of this broker; it must register before it can serve.",
  epoch: "A number that grows with each new leader (controllers) or each registration (brokers); a request with an older one is refused.",
  incarnation: "The id of one process of a broker; a restart is another incarnation.",
  leader: "The controller that the majority of voters elected in this epoch; it alone decides.",
  follower: "A voter that fetches the log of the leader.",
  prospective: "A voter that asks for pre-votes: would the others elect it?",
  candidate: "A voter that asks for votes in a new epoch.",
  resigned: "A former leader that tells the voters to elect another.",
  unattached: "A voter that knows no leader.",
  "high watermark": "Every record below it is on the disks of a majority: it is committed.",
  "uncommitted tail": "Records that the leader has written and the majority does not have yet; a new leader may cut them off.",
  ISR: "In-sync replicas: those that have every acknowledged message of the partition.",
  ELR: "Eligible leader replicas: they left the ISR, but have what was acknowledged, and may lead without loss.",
  zombie: "The broker believes that it is in service, and the log says that it is fenced.",
  orphan: "The log says that the broker is in service, and its process is gone.",
  "in doubt": "The last heartbeat of the broker has had no reply within its session.",
};
