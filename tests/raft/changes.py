"""A quorum whose voters are to change, and what is told of it."""

from kraftsim.controller.core.rpc import ApiVersionsRequest
from kraftsim.controller.core.uuid import uuid_text
from tests.raft.replicas import Replicas, key_of
from tests.raft.standing import ME, lead


def led_with_an_observer():
    """ME leads 2 and 3; 4 observes, and has all there is."""
    replicas = Replicas((1, 2, 3))
    lead(replicas, ME)
    replicas.add(4)
    replicas.run_for(3000)
    return replicas


def named(*node_ids):
    texts = [
        f"ReplicaKey(id={node_id}, directoryId={uuid_text(key_of(node_id).directory_id)})"
        for node_id in node_ids
    ]
    return texts[0] if len(texts) == 1 else "[" + ", ".join(texts) + "]"


def refusal(replicas, request):
    response = replicas.ask(ME, request)
    return response.error_code, response.error_message


def the_question(replicas):
    (message,) = replicas.requests(ApiVersionsRequest)
    return message


def result(replicas, token):
    return [(answer.error_code, answer.error_message) for answer in replicas.answers(token)]
