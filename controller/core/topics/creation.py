"""CreateTopics (rules 4.50 to 4.58).

Each topic of a request succeeds or fails separately, with its own error code and Kafka's message; a
request that is too large fails as a whole (rule 0A.7). Many topics are decided in slices; all
created topics are written in one batch. With `validate_only` no record is written.
"""

from collections import Counter
from collections.abc import Iterable
from functools import partial

from .. import feature_levels, slices
from ..configs import topic_configs
from ..configs.guards import check_min_isr
from ..errors import ApiError, ErrorCode, PolicyFailure, expect_time
from ..hash_order import in_hash_order
from ..java_text import STRING_BYTES_MAX
from ..log.records import (
    TOPIC_RESOURCE,
    ClearElrRecord,
    ConfigRecord,
    PartitionRecord,
    Record,
    TopicRecord,
)
from ..mutations import Allowance
from ..partitions import broker_changes, placement
from ..partitions.manual import bad_assignment, check_any_active, check_manual_replicas
from ..policies import AlteredConfigs, ConfigResourceKind, NewTopic
from ..rpc import (
    CreatableTopic,
    CreatableTopicConfig,
    CreatableTopicResult,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from ..state import RECORDS_PER_OPERATION_MAX, Decision, State
from ..topic_name import METADATA_TOPIC, flaw
from ..uuid import Uuid, random_uuid

Assignment = dict[int, tuple[int, ...]]
PARTITIONS_PER_REQUEST_MAX = 10_000  # Kafka's own bound (0A.7)
TOPICS_PER_SLICE = 1_000  # about ten milliseconds

DUPLICATE_NAME = ApiError(ErrorCode.INVALID_REQUEST, "Duplicate topic name.")
NONE_ACTIVE = "All brokers are currently fenced or in controlled shutdown."
_PROHIBITED = ApiError(
    ErrorCode.INVALID_REQUEST, f"Creation of internal topic {METADATA_TOPIC} is prohibited."
)


def create_topics(state: State, request: CreateTopicsRequest, now_ms: int) -> Decision:
    """Decide a CreateTopics request.

    Raises POLICY_VIOLATION if the request is too large.
    """
    return slices.begin(_Creation(state, request, now_ms))


class _Creation(slices.Sliced):
    """The topics of one request that are decided so far."""

    def __init__(self, state: State, request: CreateTopicsRequest, now_ms: int) -> None:
        super().__init__()
        self._request = request
        self._now_ms = now_ms
        self._refused = _refused_by_the_listener(Counter(topic.name for topic in request.topics))
        self._accepted = [topic for topic in request.topics if topic.name not in self._refused]
        if self._accepted:
            expect_time(request.timeout_ms)
        _check_partitions(state, self._accepted)
        self._allowance = state.mutations.allowance(state.image, request, now_ms)
        self._survey = Survey(state, self._allowance)
        self._results: list[CreatableTopicResult] = []

    def advance(self) -> bool:
        """Decides the next topics; raises POLICY_VIOLATION for too many records."""
        begin, records_max = len(self._results), len(self.records) + slices.RECORDS_PER_SLICE
        for topic in self._accepted[begin : begin + TOPICS_PER_SLICE]:
            result, created = _create(self._survey, topic)
            self._results.append(result)
            self.records += created
            if len(self.records) > RECORDS_PER_OPERATION_MAX:
                raise _too_large("Unable to perform excessively large batch operation.")
            if len(self.records) >= records_max:
                break
        return len(self._results) == len(self._accepted)

    def decision(self) -> Decision:
        """Returns the decision on all topics."""
        allowance = self._allowance
        results = (*self._results, *self._refused.values())
        reply = _spellable(self._request, results, allowance.throttle_ms)
        written = () if self._request.validate_only else tuple(self.records)
        return Decision(written, reply, is_atomic=True, mutation=allowance.note(self._now_ms))


def _refused_by_the_listener(counts: Counter[str]) -> dict[str, CreatableTopicResult]:
    """Returns the results for names that Kafka's listener refuses, which follow all other results.

    There is one result for each name; duplicates are in a HashSet's order (rule 4.52).
    """
    twice = in_hash_order(name for name, count in counts.items() if count > 1)
    refused = {name: _refused(name, DUPLICATE_NAME) for name in twice}
    if counts[METADATA_TOPIC] == 1:
        refused[METADATA_TOPIC] = _refused(METADATA_TOPIC, _PROHIBITED)
    return refused


def _spellable(
    request: CreateTopicsRequest, results: tuple[CreatableTopicResult, ...], throttle_ms: int
) -> CreateTopicsResponse:
    """Returns the response; every topic has error -1 if a message is too long to encode.

    Kafka replies so, and the records remain valid.
    """
    texts = (result.error_message or "" for result in results)
    if any(len(text.encode("utf-8", "surrogatepass")) > STRING_BYTES_MAX for text in texts):
        failed = ErrorCode.UNKNOWN_SERVER_ERROR
        results = tuple(
            CreatableTopicResult(name=t.name, error_code=failed) for t in request.topics
        )
    return CreateTopicsResponse(throttle_time_ms=throttle_ms, topics=results)


class Survey:
    """Values that the topics of one request share.

    `active` are the ids of the active brokers (rule 4.1), `directories` the directories of new
    replicas by broker id; None if metadata.version has no directories.
    """

    def __init__(self, state: State, allowance: Allowance) -> None:
        self.state = state
        self.allowance = allowance
        brokers = state.image.brokers
        self.active = frozenset(filter(state.image.is_active, brokers))
        self.directories: dict[int, Uuid] | None = None
        if state.image.metadata_version >= feature_levels.DIRECTORY_ASSIGNMENT_FROM:
            self.directories = {b: broker_changes.default_directory(state, b) for b in brokers}
        self._placer: placement.Placer | None = None
        self._in_force: dict[tuple[tuple[str, str], ...], tuple[CreatableTopicConfig, ...]] = {}

    def placer(self) -> placement.Placer:
        """Returns what places the replicas of each topic."""
        if self._placer is None:
            self._placer = placement.Placer(
                placement.layout_of(placement.candidates(self.state)),
                self.state.random,
                mentions_cordoned=self.state.profile.mentions_cordoned,
            )
        return self._placer

    def in_force(self, configs: dict[str, str]) -> tuple[CreatableTopicConfig, ...]:
        """Returns all configurations of a topic whose own configurations are `configs`."""
        key = tuple(configs.items())
        if key not in self._in_force:
            self._in_force[key] = topic_configs.effective(self.state, configs)
        return self._in_force[key]


def _check_partitions(state: State, topics: Iterable[CreatableTopic]) -> None:
    """Refuses a request for too many partitions, before any other check (rule 0A.7).

    The bound is that of Kafka 3.9.1, 4.1.1 and 4.3.1.
    """
    total = sum(_partition_count(state, topic) for topic in topics)
    if total > PARTITIONS_PER_REQUEST_MAX:
        raise _too_large("Excessively large number of partitions per request.")


def _partition_count(state: State, topic: CreatableTopic) -> int:
    if topic.assignments:
        return len(topic.assignments)
    count = topic.num_partitions
    return state.settings.num_partitions if count == -1 else max(count, 0)


def _refused(name: str, error: ApiError) -> CreatableTopicResult:
    message = error.message or None
    return CreatableTopicResult(name=name, error_code=error.code, error_message=message)


def _check_name(state: State, name: str) -> None:
    """Raises ApiError for an existing, invalid or colliding name (rule 4.54).

    TOPIC_ALREADY_EXISTS (36) takes precedence: creating "a.b" again is not a collision.
    """
    if name in state.image.topic_ids:
        raise ApiError(ErrorCode.TOPIC_ALREADY_EXISTS, f"Topic '{name}' already exists.")
    wrong = flaw(name)
    if wrong is not None:
        raise _invalid_name(f"Topic name is invalid: {wrong}")
    existing = state.image.names.existing(name)
    if existing is not None:
        raise _invalid_name(f"Topic '{name}' collides with existing topic: {existing}")


def _invalid_name(message: str) -> ApiError:
    return ApiError(ErrorCode.INVALID_TOPIC_EXCEPTION, message)


def _create(survey: Survey, topic: CreatableTopic) -> tuple[CreatableTopicResult, list[Record]]:
    state = survey.state
    try:
        _check_name(state, topic.name)
        configs = _checked_configs(state, topic)
        _check_config_policy(state, topic.name, configs)
        assignment = _manual(state, topic) if topic.assignments else _automatic(survey, topic)
        check_min_isr(state.profile, configs, len(assignment[0]))
        _check_topic_policy(state, topic, configs, assignment)
        survey.allowance.take(len(assignment))
    except ApiError as error:
        if isinstance(error, PolicyFailure) and not state.profile.survives_policies:
            raise
        return _refused(topic.name, error), []
    topic_id = random_uuid(state.random)
    records = _topic_records(survey, topic.name, topic_id, configs, assignment)
    result = CreatableTopicResult(
        name=topic.name,
        topic_id=topic_id,
        num_partitions=len(assignment),
        replication_factor=len(assignment[0]),
        configs=survey.in_force(configs),
    )
    return result, records


def _check_config_policy(state: State, name: str, configs: dict[str, str]) -> None:
    """Asks the policy about altered configurations, as Kafka does also of a new topic."""
    if configs:
        altered = AlteredConfigs(resource=ConfigResourceKind.TOPIC, name=name, configs=configs)
        state.policies.check_configs(altered)


def _check_topic_policy(
    state: State, topic: CreatableTopic, configs: dict[str, str], assignment: Assignment
) -> None:
    """Asks the policy about new topics, which comes after every other check."""
    state.policies.check_topic(partial(_described, topic, configs, assignment))


def _described(topic: CreatableTopic, configs: dict[str, str], assignment: Assignment) -> NewTopic:
    is_manual = bool(topic.assignments)
    return NewTopic(
        name=topic.name,
        partitions=None if is_manual else len(assignment),
        replication_factor=None if is_manual else len(assignment[0]),
        assignments=assignment if is_manual else None,
        configs=configs,
    )


def _too_large(message: str) -> ApiError:
    return ApiError(ErrorCode.POLICY_VIOLATION, message)


def _checked_configs(state: State, topic: CreatableTopic) -> dict[str, str]:
    """Returns the configurations in the order of Kafka's hash map, and so of the records."""
    if not topic.configs:
        return {}
    without_value = [config.name for config in topic.configs if config.value is None]
    if without_value:
        raise ApiError(
            ErrorCode.INVALID_CONFIG,
            f"Null value not supported for topic configs: {','.join(without_value)}",
        )
    configs = {config.name: config.value for config in topic.configs if config.value is not None}
    in_order = {name: configs[name] for name in in_hash_order(configs)}
    checked = topic_configs.in_checked_order(state.profile, in_order)
    topic_configs.check(checked, state.profile, state.static)
    return in_order


def _manual(state: State, topic: CreatableTopic) -> Assignment:
    """Validates an assignment (rule 4.55); all replica lists must be as long as the first."""
    for field, number in (
        ("replication factor", topic.replication_factor),
        ("numPartitions", topic.num_partitions),
    ):
        if number != -1:
            raise ApiError(
                ErrorCode.INVALID_REQUEST,
                f"A manual partition assignment was specified, but {field} was not set to -1.",
            )
    assignment: Assignment = {}
    for manual in topic.assignments:
        if manual.partition_index in assignment:
            raise bad_assignment(
                "Found multiple manual partition assignments for partition "
                f"{manual.partition_index}"
            )
        first = next(iter(assignment.values()), manual.broker_ids)
        check_manual_replicas(state, manual.broker_ids, len(first))
        check_any_active(state, manual.broker_ids, manual.partition_index)
        assignment[manual.partition_index] = manual.broker_ids
    if sorted(assignment) != list(range(len(assignment))):
        raise bad_assignment("partitions should be a consecutive 0-based integer sequence")
    return dict(sorted(assignment.items()))


def _automatic(survey: Survey, topic: CreatableTopic) -> Assignment:
    """Places the replicas (rules 4.56, 4.51 and 4.50)."""
    settings = survey.state.settings
    if topic.replication_factor == 0 or topic.replication_factor < -1:
        raise ApiError(
            ErrorCode.INVALID_REPLICATION_FACTOR,
            "Replication factor must be larger than 0, or -1 to use the default value.",
        )
    if topic.num_partitions == 0 or topic.num_partitions < -1:
        raise ApiError(
            ErrorCode.INVALID_PARTITIONS,
            "Number of partitions was set to an invalid non-positive value.",
        )
    factor = topic.replication_factor
    factor = settings.default_replication_factor if factor == -1 else factor
    count = topic.num_partitions
    count = settings.num_partitions if count == -1 else count
    try:
        placed = survey.placer().place(partitions=count, replication_factor=factor)
        if any(map(survey.active.isdisjoint, placed)):
            raise ApiError(ErrorCode.INVALID_REPLICATION_FACTOR, NONE_ACTIVE)
    except ApiError as error:
        prefix = f"Unable to replicate the partition {factor} time(s): "
        raise ApiError(error.code, prefix + error.message) from None
    return dict(enumerate(placed))


def _topic_records(
    survey: Survey, name: str, topic_id: Uuid, configs: dict[str, str], assignment: Assignment
) -> list[Record]:
    """Returns topic, configurations, cleared ELR and partitions, in that order.

    Rules 4.58 and 4.23.
    """
    records: list[Record] = [TopicRecord(name=name, topic_id=topic_id)]
    for key, value in configs.items():
        records.append(
            ConfigRecord(resource_type=TOPIC_RESOURCE, resource_name=name, name=key, value=value)
        )
    if "min.insync.replicas" in configs and feature_levels.elr_enabled(survey.state.image.features):
        records.append(ClearElrRecord(topic_name=name))
    for partition_id, replicas in assignment.items():
        records.append(partition_record(survey, topic_id, partition_id, replicas))
    return records


def partition_record(
    survey: Survey, topic_id: Uuid, partition_id: int, replicas: tuple[int, ...]
) -> PartitionRecord:
    """Returns the record of a new partition.

    The ISR are the active replicas in assignment order; the first leads (rules 4.18, 4.50)."""
    active, directories = survey.active, survey.directories
    isr = replicas if active.issuperset(replicas) else tuple([r for r in replicas if r in active])
    return PartitionRecord(
        partition_id=partition_id,
        topic_id=topic_id,
        replicas=replicas,
        isr=isr,
        leader=isr[0],
        directories=() if directories is None else tuple([directories[r] for r in replicas]),
    )
