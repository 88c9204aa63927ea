"""The policies of a user about new topics and altered configurations.

Kafka loads a Java class for `create.topic.policy.class.name` and for
`alter.config.policy.class.name`; here each is a function, which `kraftsim/configuration` loads. A
policy returns None to accept, or the text of its refusal. It must be pure: the same question gets
the same answer.
"""

from collections.abc import Callable, Mapping
from enum import Enum

from .errors import ApiError, ErrorCode
from .value import value


class ConfigResourceKind(Enum):
    """The resources about which an AlterConfigPolicy is asked."""

    TOPIC = 2
    BROKER = 4
    BROKER_LOGGER = 8
    CLIENT_METRICS = 16
    GROUP = 32


@value
class NewTopic:
    """A topic that passed every check of Kafka.

    Either `partitions` and `replication_factor` are set, defaults included, or `assignments`: the
    replicas of each partition, as the request has them. `configs` are those of the request.
    """

    name: str
    partitions: int | None
    replication_factor: int | None
    assignments: Mapping[int, tuple[int, ...]] | None
    configs: Mapping[str, str]


@value
class AlteredConfigs:
    """New values of one resource that passed every check of Kafka; None removes a configuration.

    What AlterConfigs removes because a request leaves it out is not among `configs` (KAFKA-14195).
    """

    resource: ConfigResourceKind
    name: str
    configs: Mapping[str, str | None]


@value
class Policies:
    """The policies of a cluster; `names` has what the configurations of a controller show."""

    new_topic: Callable[[NewTopic], str | None] | None = None
    altered_configs: Callable[[AlteredConfigs], str | None] | None = None
    names: tuple[tuple[str, str], ...] = ()

    def check_topic(self, described: Callable[[], NewTopic]) -> None:
        """Raises POLICY_VIOLATION if the policy refuses the topic.

        Without a policy, `described` is not called: thousands of topics may be created at once.
        """
        _check(None if self.new_topic is None else self.new_topic(described()))

    def check_configs(self, altered: AlteredConfigs) -> None:
        """Raises POLICY_VIOLATION if the policy refuses the new values."""
        _check(None if self.altered_configs is None else self.altered_configs(altered))


def _check(refusal: str | None) -> None:
    if refusal is not None:
        raise ApiError(ErrorCode.POLICY_VIOLATION, refusal)


NO_POLICIES = Policies()
