"""Runs kcat once for each of its modes, as conversation.py says.

    python -m tests.interop.foreign.python.kcat_calls KCAT SERVERS TOPIC TARGET GHOST

kcat prints errors as text, in which the words of librdkafka for an error of Kafka are looked up.
"""

import subprocess
import sys
from collections.abc import Sequence

from confluent_kafka.admin import AdminClient, NewTopic

from tests.interop.foreign.python.calling import LIMIT_S, Scene

WORDS = {
    "Topic authorization failed": 29,
    "Cluster authorization failed": 31,
    "Policy violation": 44,
    "has no groups": 44,
    "Transactional Id authorization failed": 53,
    "TRANSACTIONAL_ID_AUTHORIZATION_FAILED": 53,
}


class Failed(Exception):
    """What kcat prints when it fails."""


def code(error: BaseException) -> int | None:
    """Returns the code of Kafka's error that the text names."""
    return next((number for words, number in WORDS.items() if words in str(error)), None)


def main(kcat: str, servers: str, topic: str, target: str, ghost: str) -> None:
    """Makes the calls; kcat creates no topic, so one is created for its producers."""
    scene = Scene(servers, topic, int(target), int(ghost), code)
    admin = AdminClient({"bootstrap.servers": servers})
    admin.create_topics([NewTopic(topic, 2, 1)])[topic].result(LIMIT_S)

    def run(*words: str, text: str = "") -> None:
        command = [kcat, "-b", servers, "-m", "10", *words]
        done = subprocess.run(
            command, input=text, capture_output=True, text=True, check=False, timeout=LIMIT_S
        )
        if "Disconnected" in done.stderr:  # by a broker that got acks=0, if kcat sees it in time
            return
        if done.returncode or "rror" in done.stderr or "failed" in done.stderr:
            raise Failed(done.stderr)

    def call(name: str, mode: str, *words: str, text: str = "") -> None:
        scene.call(name, mode, lambda: run(*words, text=text))

    call("listTopics", "-L", "-L", "-J")
    call("describeTopics", "-L -t", "-L", "-t", topic)
    call("listOffsets", "-Q", "-Q", "-t", f"{topic}:0:-1")
    produce: Sequence[str] = ("-P", "-t", topic)
    call("produce", "-P", *produce, text="lost\n")
    call("produce with acks=0", "-P", *produce, "-X", "acks=0", text="lost\n")
    call("produce idempotently", "-P", *produce, "-X", "enable.idempotence=true", text="lost\n")
    call(
        "produce in a transaction",
        "-P",
        *produce,
        "-X",
        f"transactional.id={scene.group}",
        text="lost\n",
    )
    call("consume", "-C", "-C", "-t", topic, "-c", "1", "-o", "beginning")
    call("consume in a group", "-G", "-c", "1", "-G", scene.group, topic)
    admin.delete_topics([topic])[topic].result(LIMIT_S)
    scene.complete((), ())


if __name__ == "__main__":
    main(*sys.argv[1:])
