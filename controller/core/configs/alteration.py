"""IncrementalAlterConfigs (44) and AlterConfigs (33) on the active controller.

Each resource of a request succeeds or fails separately. Many resources are decided in slices; all
records are written in one batch. With `validate_only` no record is written.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from .. import feature_levels, rpc, slices
from ..errors import ApiError, ErrorCode
from ..hash_order import in_copied_order, in_hash_order
from ..log.records import ClearElrRecord, ConfigRecord, Record
from ..policies import AlteredConfigs, ConfigResourceKind
from ..profile import Profile
from ..state import RECORDS_PER_OPERATION_MAX, Decision, State
from . import broker_loggers, group_configs, metrics_configs, topic_configs
from .guards import MIN_INSYNC_REPLICAS, check_altered, check_min_isr_of_topic
from .lists import appended, default_list, subtracted
from .resources import (
    ResourceType,
    alterable_type,
    check_existence,
    check_name,
    has_configs,
    invalid_request,
)

SET, DELETE, APPEND, SUBTRACT = range(4)
RESOURCES_PER_SLICE = 500  # about ten milliseconds

AlterRequest = rpc.IncrementalAlterConfigsRequest | rpc.AlterConfigsRequest
Resource = rpc.IncrementalAlterConfigsResource | rpc.AlterConfigsResource
Values = Mapping[str, str]


class Changes(NamedTuple):
    """The new values of one resource; None removes a configuration.

    `implied` are those that AlterConfigs removes because the request leaves them out.
    """

    explicit: dict[str, str | None]
    implied: tuple[str, ...] = ()


def incremental_alter_configs(
    state: State, request: rpc.IncrementalAlterConfigsRequest, now_ms: int
) -> Decision:
    """Decide an IncrementalAlterConfigs request."""
    return slices.begin(_Alteration(state, request))


def alter_configs(state: State, request: rpc.AlterConfigsRequest, now_ms: int) -> Decision:
    """Decide an AlterConfigs request."""
    return slices.begin(_Alteration(state, request))


class _Alteration(slices.Sliced):
    """The resources of one request that are decided so far."""

    def __init__(self, state: State, request: AlterRequest) -> None:
        super().__init__()
        self._state = state
        self._request = request
        resources: Sequence[Resource] = request.resources
        keys = [_key(state.profile, resource, place) for place, resource in enumerate(resources)]
        self._counts = Counter(keys)
        self._pending = list(dict(zip(keys, resources, strict=True)).items())
        self._pending.reverse()
        self._responses: list[rpc.AlterConfigsResourceResponse] = []

    def advance(self) -> bool:
        """Decides the next resources."""
        for _ in range(min(RESOURCES_PER_SLICE, len(self._pending))):
            key, resource = self._pending.pop()
            try:
                if self._counts[key] > 1:
                    raise invalid_request("Duplicate resource.")
                is_forwarded = self._request.is_forwarded
                self.records += _altered(self._state, resource, is_forwarded=is_forwarded)
            except ApiError as error:
                self._responses.append(refused(resource, error))
            else:
                self._responses.append(
                    rpc.AlterConfigsResourceResponse(
                        resource_type=resource.resource_type, resource_name=resource.resource_name
                    )
                )
        return not self._pending

    def decision(self) -> Decision:
        """Returns the decision on all resources.

        Raises POLICY_VIOLATION if the records are too many (rule 0A.7).
        """
        if len(self.records) > RECORDS_PER_OPERATION_MAX:
            text = "Unable to perform excessively large batch operation."
            raise ApiError(ErrorCode.POLICY_VIOLATION, text)
        responses = tuple(self._responses)
        reply: rpc.Response = (
            rpc.IncrementalAlterConfigsResponse(responses=responses)
            if isinstance(self._request, rpc.IncrementalAlterConfigsRequest)
            else rpc.AlterConfigsResponse(responses=responses)
        )
        records = (*self.records, *_cleared_elrs(self._state, self.records))
        return Decision(() if self._request.validate_only else records, reply, is_atomic=True)


def _key(profile: Profile, resource: Resource, place: int) -> tuple[int, str, int]:
    """Returns what a resource may share with no other.

    A repeated resource of an unknown type, or a repeated logger, is answered each time.
    """
    resource_type = resource.resource_type
    is_incremental = isinstance(resource, rpc.IncrementalAlterConfigsResource)
    is_each_answered = not has_configs(resource_type, profile) or (
        is_incremental and resource_type == ResourceType.BROKER_LOGGER
    )
    return resource_type, resource.resource_name, place if is_each_answered else -1


def refused(resource: Resource, error: ApiError) -> rpc.AlterConfigsResourceResponse:
    """Returns the response of a resource that is refused."""
    return rpc.AlterConfigsResourceResponse(
        error_code=error.code,
        error_message=error.message or None,
        resource_type=resource.resource_type,
        resource_name=resource.resource_name,
    )


def _altered(state: State, resource: Resource, *, is_forwarded: bool) -> list[ConfigRecord]:
    """Returns the records of one resource; raises ApiError if it is refused."""
    resource_type = alterable_type(resource.resource_type, state.profile)
    name = resource.resource_name
    if resource_type is ResourceType.BROKER_LOGGER:
        broker_loggers.check(state.node_id, resource, state.profile)
        return []
    current = state.image.configs.get((resource_type, name), {})
    if isinstance(resource, rpc.IncrementalAlterConfigsResource):
        changes = _incremental(state.profile, resource_type, resource.configs, current)
    else:
        changes = _whole(resource_type, resource, current)
    values = changes.explicit | dict.fromkeys(changes.implied)
    check_altered(state, (resource_type, name), values, current, is_forwarded=is_forwarded)
    is_checked = is_forwarded and resource_type is ResourceType.GROUP and _brokers_check(state)
    _check(state, resource_type, name, changes, current, is_checked=is_checked)
    return [
        ConfigRecord(resource_type=resource_type, resource_name=name, name=key, value=value)
        for key, value in values.items()
    ]


def _brokers_check(state: State) -> bool:
    """True if every broker has checked the configurations of groups that it forwards (4.70)."""
    return state.image.metadata_version >= feature_levels.GROUPS_CHECKED_BY_BROKERS_FROM


def check_group(
    profile: Profile, resource: Resource, current: Values, static: Mapping[str, str]
) -> None:
    """Raises ApiError for the configurations that a group would have after a change (4.70).

    A broker checks them before it forwards the change; `current` are those that it knows, `static`
    those of its property file.
    """
    check_name(ResourceType.GROUP, resource.resource_name)
    if isinstance(resource, rpc.IncrementalAlterConfigsResource):
        changes = _incremental(profile, ResourceType.GROUP, resource.configs, current)
    else:
        changes = _whole(ResourceType.GROUP, resource, current)
    group_configs.check(_after(profile, changes, current), profile, static)


def _incremental(
    profile: Profile,
    resource_type: ResourceType,
    configs: Iterable[rpc.AlterableConfig],
    current: Values,
) -> Changes:
    """Returns what the operations change; of several for one name the last applies."""
    operations = {config.name: config for config in configs}
    explicit: dict[str, str | None] = {}
    for name in in_hash_order(operations):
        value = _operated(profile, resource_type, operations[name], current.get(name))
        # A broker reloads a file, such as a key store, whose name is set again (KAFKA-14136).
        if value != current.get(name) or resource_type is ResourceType.BROKER:
            explicit[name] = value
    return Changes(explicit)


def _operated(
    profile: Profile, resource_type: ResourceType, config: rpc.AlterableConfig, current: str | None
) -> str | None:
    """Returns the value after an operation; raises INVALID_CONFIG if it needs a list."""
    operation = config.config_operation
    if operation == SET:
        return config.value
    if operation == DELETE:
        return None
    if operation not in (APPEND, SUBTRACT):
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, "")
    default = default_list(profile, resource_type, config.name)
    if default is None:
        word = "APPEND" if operation == APPEND else "SUBTRACT"
        text = f"Can't {word} to key {config.name} because its type is not LIST."
        raise ApiError(ErrorCode.INVALID_CONFIG, text)
    if config.value is None:
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, "")
    change = appended if operation == APPEND else subtracted
    return change(default if current is None else current, config.value)


def _whole(
    resource_type: ResourceType, resource: rpc.AlterConfigsResource, current: Values
) -> Changes:
    """Returns the difference between all configurations of a request and the current ones."""
    wanted = {config.name: config.value for config in resource.configs}
    explicit = {
        name: wanted[name]
        for name in in_hash_order(wanted)
        if wanted[name] != current.get(name) or resource_type is ResourceType.BROKER
    }
    return Changes(explicit, tuple(name for name in current if name not in wanted))


def _after(profile: Profile, changes: Changes, current: Values) -> dict[str, str]:
    """Returns the configurations after the changes, in the order in which Kafka checks them.

    Kafka puts the changes into a hash map that begins as a copy of the current ones, and so may
    have fewer buckets than a new one.
    """
    values = dict(current)
    most = len(values)
    for key, value in changes.explicit.items():
        if value is None:
            values.pop(key, None)
        else:
            values[key] = value
            most = max(most, len(values))
    for key in changes.implied:
        del values[key]
    names = in_copied_order(values, len(current), most)
    return topic_configs.in_checked_order(profile, {name: values[name] for name in names})


def _check(
    state: State,
    resource_type: ResourceType,
    name: str,
    changes: Changes,
    current: Values,
    *,
    is_checked: bool,
) -> None:
    """Raises ApiError for changes that Kafka refuses, in Kafka's order of checks.

    `is_checked` is true if a broker has validated the configurations.
    """
    check_name(resource_type, name)
    in_order = _after(state.profile, changes, current)
    if resource_type is ResourceType.TOPIC:
        topic_configs.check(in_order, state.profile, state.static)
    elif resource_type is ResourceType.GROUP and not is_checked:
        group_configs.check(in_order, state.profile, state.static)
    elif resource_type is ResourceType.CLIENT_METRICS:
        metrics_configs.check(in_order, state.profile)
    check_existence(state, resource_type, name)
    if resource_type is ResourceType.TOPIC:
        check_min_isr_of_topic(state, name, in_order)
    kind = ConfigResourceKind(resource_type)
    state.policies.check_configs(AlteredConfigs(resource=kind, name=name, configs=changes.explicit))


def _cleared_elrs(state: State, records: Iterable[Record]) -> Iterator[ClearElrRecord]:
    """Yields the records that empty the ELRs which a changed min ISR concerns (rule 4.23)."""
    if not feature_levels.elr_enabled(state.image.features):
        return
    for record in records:
        if isinstance(record, ConfigRecord) and record.name == MIN_INSYNC_REPLICAS:
            is_topic = record.resource_type == ResourceType.TOPIC
            yield ClearElrRecord(topic_name=record.resource_name if is_topic else "")
