"""What an outage of a broker would cost: partitions without a leader, or without acks=all."""

from kraftsim.controller.core.configs.describe_configs import describe_configs
from kraftsim.controller.core.configs.node_configs import NodeView
from kraftsim.controller.core.log.records import NO_LEADER, TOPIC_RESOURCE
from kraftsim.controller.core.rpc.configs import DescribeConfigsRequest, DescribeConfigsResource

from ..documents import OutageDocument

MIN_ISR = "min.insync.replicas"


def outage_view(view: NodeView, broker_id: int) -> OutageDocument:
    """Returns the partitions that need the broker, by the committed ISRs alone."""
    image = view.image
    hosted = image.index.hosted(broker_id)
    min_isrs = _min_isrs(view, {image.topics[topic_id].name for topic_id, _ in hosted})
    leaderless, under_min_isr = [], []
    for topic_id, index in hosted:
        name, partition = image.topics[topic_id].name, image.partition((topic_id, index))
        others = len({*partition.isr} - {broker_id})
        if not others or partition.leader == NO_LEADER:
            leaderless.append(f"{name}-{index}")
        elif others < min(min_isrs[name], len(partition.replicas)):
            under_min_isr.append(f"{name}-{index}")
    return {
        "replicas": len(hosted),
        "leaderlessWithout": leaderless,
        "underMinIsrWithout": under_min_isr,
    }


def _min_isrs(view: NodeView, names: set[str]) -> dict[str, int]:
    """Returns min.insync.replicas of topics."""
    wanted = tuple(
        DescribeConfigsResource(
            resource_type=TOPIC_RESOURCE, resource_name=name, configuration_keys=(MIN_ISR,)
        )
        for name in sorted(names)
    )
    results = describe_configs(view, DescribeConfigsRequest(resources=wanted)).results
    return {result.resource_name: int(result.configs[0].value or 1) for result in results}
