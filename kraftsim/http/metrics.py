"""`GET /metrics`: the cluster in the format of Prometheus.

A metric that Kafka has too has Kafka's name, as the Strimzi Metrics Reporter and the usual rules of
the JMX exporter spell it: group, type and name of the MBean in lower case. As in Kafka, standby
controllers have the metrics of a controller too. Metrics of kraftsim begin with `kraftsim_`.
"""

from collections.abc import Iterator

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.registry import Collector

from kraftsim.broker_agent.data_plane import DataPlane
from kraftsim.controller.core.node_id import controller_node
from kraftsim.controller.wire.apis.table import APIS
from kraftsim.simulation.controller_process import ControllerProcess
from kraftsim.simulation.world import World

from ..service.observed import Observed

CONTENT_TYPE = CONTENT_TYPE_LATEST
CONTROLLER = "kafka_controller_kafkacontroller_"
RAFT = "kafka_server_raft_metrics_"
CLUSTER_ID = "kafka_server_kafkaserver_clusterid"


def metrics_text(world: World, observed: Observed, data_plane: DataPlane) -> bytes:
    """Returns all metrics of the cluster in the text format of Prometheus."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Metrics(world, observed, data_plane))
    return generate_latest(registry)


class _Metrics(Collector):
    def __init__(self, world: World, observed: Observed, data_plane: DataPlane) -> None:
        self._world, self._observed, self._data_plane = world, observed, data_plane

    def collect(self) -> Iterator[Metric]:
        yield self._identity()
        yield self._cluster_ids()
        yield from self._of_controllers()
        yield self._lease_slack()
        yield from self._of_faults()
        yield from self._of_data_plane()
        yield from self._of_service()

    def _identity(self) -> Metric:
        node = self._world.controller.node
        labels = {"cluster_id": node.config.cluster_id, "profile": node.profile.name}
        return InfoMetricFamily("kraftsim_cluster", "The cluster that is measured.", value=labels)

    def _cluster_ids(self) -> Metric:
        """The cluster id of each running node (KIP-78).

        In Kafka it is a gauge whose value is a text (rule 6.7), here a label.
        """
        family = InfoMetricFamily(CLUSTER_ID, "Cluster id of a node (KIP-78).", labels=["node_id"])
        cluster_id = self._world.topology.cluster_id
        controllers = (id for id, process in self._world.controllers.items() if process.is_running)
        brokers = (id for id, agent in self._world.agents.items() if agent.is_alive)
        for id in sorted((*controllers, *brokers)):
            family.add_metric([str(id)], {"cluster_id": cluster_id})
        return family

    def _of_controllers(self) -> Iterator[Metric]:
        processes = self._world.controllers
        running = {str(id): process for id, process in processes.items() if process.is_running}
        names = CONTROLLER_TEXTS | RAFT_TEXTS
        values = {id: _values(process) for id, process in running.items()}
        for name, text in names.items():
            family = GaugeMetricFamily(name, text, labels=["node_id"])
            for id, of_controller in values.items():
                family.add_metric([id], of_controller[name])
            yield family

    def _lease_slack(self) -> Metric:
        """Negative once a lease has expired and the controller has not fenced the broker yet."""
        family = GaugeMetricFamily(
            "kraftsim_lease_slack_seconds",
            "Time until the lease of an unfenced broker expires.",
            labels=["broker_id"],
        )
        world = self._world
        process = world.active
        if process is not None:
            node, now_ms = (
                process.node,
                world.clock_ms(controller_node(process.node.config.node_id)),
            )
            timeout_ms = node.settings.broker_session_timeout_ms
            for broker in world.committed.brokers.values():
                contact_ms = node.leases.contact_ms(broker.broker_id)
                if contact_ms is not None and not broker.fenced:
                    slack_ms = contact_ms + timeout_ms - now_ms
                    family.add_metric([str(broker.broker_id)], slack_ms / 1e3)
        return family

    def _of_faults(self) -> Iterator[Metric]:
        network = self._world.network
        armed = GaugeMetricFamily(
            "kraftsim_faults_armed", "Faults of links and requests in force.", labels=["kind"]
        )
        counts = {
            "mute": len(network.mute),
            "deaf": len(network.deaf),
            "cut": len(network.cut),
            "rule": len(network.rules),
            "request": len(self._world.request_rules),
        }
        for kind, count in counts.items():
            armed.add_metric([kind], count)
        yield armed
        yield CounterMetricFamily(
            "kraftsim_messages_stopped",
            "Messages between nodes that a fault of the network has dropped or held back.",
            self._observed.stopped_messages,
        )

    def _of_data_plane(self) -> Iterator[Metric]:
        refused = CounterMetricFamily(
            "kraftsim_data_plane_requests_refused",
            "Requests that need groups or transactions, by API.",
            labels=["api"],
        )
        for key, count in sorted(self._data_plane.refused.items()):
            refused.add_metric([APIS[key].name], count)
        yield refused
        yield CounterMetricFamily(
            "kraftsim_produce_requests_lost",
            "Refused Produce requests with acks=0, whose clients take the messages for written.",
            self._data_plane.lost_produce_requests,
        )

    def _of_service(self) -> Iterator[Metric]:
        events = CounterMetricFamily(
            "kraftsim_events", "Events of the journal by kind.", labels=["kind"]
        )
        for kind, count in sorted(self._observed.events.items()):
            events.add_metric([kind], count)
        yield events
        yield GaugeMetricFamily(
            "kraftsim_loop_lag_seconds",
            "Longest lag of the event loop within the last minute.",
            self._observed.lag.worst_s,
        )
        yield GaugeMetricFamily(
            "kraftsim_time_seconds",
            "Time of the cluster since its start, virtual or scaled if its clock is.",
            self._world.timeline.now_us / 1e6,
        )


CONTROLLER_TEXTS = {
    f"{CONTROLLER}activecontrollercount": "1 on the active controller, 0 on the others.",
    f"{CONTROLLER}activebrokercount": "Registered brokers that are not fenced.",
    f"{CONTROLLER}fencedbrokercount": "Registered brokers that are fenced.",
    f"{CONTROLLER}globaltopiccount": "Topics.",
    f"{CONTROLLER}globalpartitioncount": "Partitions.",
    f"{CONTROLLER}offlinepartitionscount": "Partitions without a leader.",
    f"{CONTROLLER}lastcommittedrecordoffset": "Offset of the last committed record.",
    f"{CONTROLLER}lastappliedrecordoffset": "Offset of the last record that was applied.",
}
RAFT_TEXTS = {
    f"{RAFT}current_leader": "Id of the leader of the quorum; -1 if the controller knows none.",
    f"{RAFT}current_epoch": "Epoch of the quorum.",
    f"{RAFT}high_watermark": "High watermark of the metadata log.",
    f"{RAFT}log_end_offset": "End offset of the controller's log.",
}


def _values(process: ControllerProcess) -> dict[str, float]:
    """Returns the value of each metric of CONTROLLER_TEXTS and RAFT_TEXTS."""
    node = process.node
    image = node.committed
    fenced = sum(broker.fenced for broker in image.brokers.values())
    values = (
        float(node.is_active),
        len(image.brokers) - fenced,
        fenced,
        len(image.topics),
        sum(len(topic.partitions) for topic in image.topics.values()),
        len(image.index.leaderless()),
        node.high_watermark - 1,
        image.offset,
        node.leader_id,
        node.epoch,
        node.high_watermark,
        node.log.end_offset,
    )
    return dict(zip((*CONTROLLER_TEXTS, *RAFT_TEXTS), values, strict=True))
