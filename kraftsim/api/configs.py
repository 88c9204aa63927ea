"""The configurations of the resources of a cluster."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace

from kraftsim.broker_agent.configurations import properties
from kraftsim.controller.core.configs.alteration import APPEND, DELETE, SET, SUBTRACT
from kraftsim.controller.core.configs.describe_configs import describe_configs
from kraftsim.controller.core.configs.node_changes import check_broker_changes
from kraftsim.controller.core.configs.node_configs import TYPE_NUMBERS, NodeView
from kraftsim.controller.core.configs.resources import EVERY_BROKER, RESOURCES, wire_name
from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.rpc.configs import (
    AlterableConfig,
    DescribeConfigsEntry,
    DescribeConfigsRequest,
    DescribeConfigsResource,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResource,
    IncrementalAlterConfigsResponse,
)
from kraftsim.scenarios.language.suggestions import nearest, whole_number

from ..errors import UnknownBroker
from .administration.checks import Config, texts_of
from .administration.config_words import SOURCES, check_changes, check_described
from .administration.documents import ConfigDocument, ConfigList
from .administration.refusals import raise_if_refused, raise_if_topic_refused
from .running.active_controller import ActiveController
from .running.live import Live

_TYPES = {number: name for name, number in TYPE_NUMBERS.items()}
_OF_RESOURCE = {"topic": 1, "broker": 2, "group": 8, "client-metrics": 7}
_CLUSTER_DEFAULT = 3
_IN_LOG = (2, _CLUSTER_DEFAULT)  # sources of a broker's values
_FOREIGN = (
    "broker {name} is not simulated, and the log has no {key}: "
    "ask the broker itself, with kafka-configs --bootstrap-server"
)


class Configs:
    """The configurations of a cluster: `await kraft.configs.get("topic", "orders")`.

    A resource is a topic, a broker, a group or a subscription to client metrics; the broker named
    "default" stands for all brokers.
    """

    def __init__(self, live: Live, controller: ActiveController) -> None:
        self._live, self._controller = live, controller

    async def get(
        self, resource: str, name: str, key: str | None = None, scope: str = "all"
    ) -> ConfigList:
        """Returns the configurations of a resource, in order of their names.

        Describes the committed state as the broker, or for other resources a controller, does.
        With the `scope` "set" it returns only what is set for the resource itself, with a `key`
        only that configuration. The value of a sensitive configuration is None. Of a broker that is
        not simulated only what the log has is known.

        Raises UnknownBroker, or ApiError for an unknown topic or key.
        """
        check_described(resource, name, key, scope)
        entries = self._described(resource, name)
        is_foreign = self._is_foreign(resource, name)
        if is_foreign:
            entries = {k: entry for k, entry in entries.items() if entry.config_source in _IN_LOG}
        if key is not None and key not in entries:
            if is_foreign:
                raise ApiError(ErrorCode.INVALID_CONFIG, _FOREIGN.format(name=name, key=key))
            known = nearest(key, sorted(entries), f"kraftsim config get {resource} {name}")
            raise ApiError(ErrorCode.INVALID_CONFIG, f"no key {key!r}: expected {known}")
        own = _CLUSTER_DEFAULT if (resource, name) == ("broker", EVERY_BROKER) else None
        source = own or _OF_RESOURCE[resource]
        shown = [
            _document(entry)
            for entry in sorted(entries.values(), key=lambda entry: entry.name)
            if key in (None, entry.name) and (scope == "all" or entry.config_source == source)
        ]
        return {"configs": shown, "resource": resource, "name": name}

    async def set(
        self,
        resource: str,
        name: str,
        values: Mapping[str, Config] | None = None,
        delete: Sequence[str] = (),
        append: Mapping[str, Config] | None = None,
        subtract: Mapping[str, Config] | None = None,
    ) -> None:
        """Sets configurations of a resource, and deletes those whose keys are in `delete`.

        A deleted configuration has its default again. `append` adds elements to lists, `subtract`
        removes them; commas separate the elements. All changes succeed or none. Raises
        UnknownBroker, or ApiError if the broker or the controller refuses a change.
        """
        check_changes(resource, name, values, delete, append, subtract)
        changed = IncrementalAlterConfigsResource(
            resource_type=RESOURCES[resource],
            resource_name=wire_name(resource, name),
            configs=(
                *_operations(SET, "values", values),
                *(AlterableConfig(name=k, config_operation=DELETE, value=None) for k in delete),
                *_operations(APPEND, "append", append),
                *_operations(SUBTRACT, "subtract", subtract),
            ),
        )
        if resource == "broker":
            from kraftsim.configuration.dynamic import check_together  # reads a table

            view = self._config_view(resource, name)
            check_broker_changes(view, changed, check_together)
        reply = await self._controller.request(IncrementalAlterConfigsRequest(resources=(changed,)))
        assert isinstance(reply, IncrementalAlterConfigsResponse), type(reply)
        result = reply.responses[0]
        keys = {config.name for config in changed.configs if config.config_operation != DELETE}
        self._raise_if_refused((resource, name), keys, result.error_code, result.error_message)

    def _raise_if_refused(
        self, of: tuple[str, str], keys: Set[str], code: int, message: str | None
    ) -> None:
        """Raises ApiError unless `code` is 0; the refusal of an unknown key names the nearest."""
        if code in (ErrorCode.INVALID_CONFIG, ErrorCode.INVALID_REQUEST):
            known = sorted(self._described(*of))
            for key in sorted(keys - set(known)):
                near = nearest(key, known, f"kraftsim config get {' '.join(of)}")
                raise ApiError(ErrorCode(code), f"{message}: expected {near}, got {key!r}")
        if of[0] == "topic":
            raise_if_topic_refused(self._live.world.committed, of[1], code, message)
        raise_if_refused(code, message)

    def _is_foreign(self, resource: str, name: str) -> bool:
        """True for a broker that is not simulated."""
        is_one = resource == "broker" and name != EVERY_BROKER
        return is_one and whole_number(name) not in self._live.world.agents

    def _described(self, resource: str, name: str) -> dict[str, DescribeConfigsEntry]:
        """Returns the entries of a resource by their names; raises ApiError if it is refused."""
        wanted = DescribeConfigsResource(
            resource_type=RESOURCES[resource], resource_name=wire_name(resource, name)
        )
        request = DescribeConfigsRequest(resources=(wanted,), include_synonyms=True)
        (result,) = describe_configs(self._config_view(resource, name), request).results
        if resource == "topic":
            raise_if_topic_refused(
                self._live.world.committed, name, result.error_code, result.error_message
            )
        raise_if_refused(result.error_code, result.error_message)
        return {entry.name: entry for entry in result.configs}

    def _config_view(self, resource: str, name: str) -> NodeView:
        """Returns what the node that describes a resource knows, with the committed image."""
        image = self._live.world.committed
        view = replace(self._live.world.controller.node.config_view, image=image)
        if resource != "broker" or name == EVERY_BROKER:
            return view
        broker_id = whole_number(name)
        agent = self._live.world.agents.get(-1 if broker_id is None else broker_id)
        if agent is not None:
            static = properties(agent.agent.config)
        elif broker_id in image.brokers:
            static = {}  # of a broker that is not simulated
        else:
            ids = sorted({*image.brokers, *self._live.world.agents})
            raise UnknownBroker(name, ids)
        assert broker_id is not None, name
        return replace(view, node_id=broker_id, static=static)


def _operations(
    operation: int, parameter: str, values: Mapping[str, Config] | None
) -> Iterator[AlterableConfig]:
    """Yields an operation for each configuration in the argument `parameter`."""
    for key, text in texts_of(parameter, values).items():
        yield AlterableConfig(name=key, config_operation=operation, value=text)


def _document(entry: DescribeConfigsEntry) -> ConfigDocument:
    return {
        "name": entry.name,
        "value": entry.value,
        "source": SOURCES[entry.config_source],
        "type": _TYPES[entry.config_type],
        "readOnly": entry.read_only,
        "sensitive": entry.is_sensitive,
        "synonyms": [
            {"name": synonym.name, "value": synonym.value, "source": SOURCES[synonym.source]}
            for synonym in entry.synonyms
        ],
    }
