"""Configurations: DescribeConfigs (32), AlterConfigs (33), IncrementalAlterConfigs (44).

Resource types and sources are the numbers of the wire: `configs/resources.py` names them.
"""

from ..value import value


@value
class AlterableConfig:
    """One change of an IncrementalAlterConfigs request.

    `config_operation` is 0 to set, 1 to delete, 2 to append and 3 to subtract.
    """

    name: str
    config_operation: int
    value: str | None


@value
class IncrementalAlterConfigsResource:
    """The changes of one resource."""

    resource_type: int
    resource_name: str
    configs: tuple[AlterableConfig, ...]


@value
class IncrementalAlterConfigsRequest:
    """IncrementalAlterConfigs (44).

    `is_forwarded` is no field of the message: it is true if a broker sent it for its client.
    """

    resources: tuple[IncrementalAlterConfigsResource, ...]
    validate_only: bool = False
    is_forwarded: bool = False


@value
class LegacyConfig:
    """One configuration of an AlterConfigs request."""

    name: str
    value: str | None


@value
class AlterConfigsResource:
    """All configurations that a resource shall have; AlterConfigs deletes the others."""

    resource_type: int
    resource_name: str
    configs: tuple[LegacyConfig, ...]


@value
class AlterConfigsRequest:
    """AlterConfigs (33).

    `is_forwarded` is no field of the message: it is true if a broker sent it for its client.
    """

    resources: tuple[AlterConfigsResource, ...]
    validate_only: bool = False
    is_forwarded: bool = False


@value
class AlterConfigsResourceResponse:
    """The result for one resource."""

    error_code: int = 0
    error_message: str | None = None
    resource_type: int
    resource_name: str


@value
class IncrementalAlterConfigsResponse:
    """The reply to an IncrementalAlterConfigs request."""

    throttle_time_ms: int = 0
    responses: tuple[AlterConfigsResourceResponse, ...] = ()


@value
class AlterConfigsResponse:
    """The reply to an AlterConfigs request."""

    throttle_time_ms: int = 0
    responses: tuple[AlterConfigsResourceResponse, ...] = ()


@value
class DescribeConfigsResource:
    """A resource to describe; `configuration_keys` None or empty means all configurations."""

    resource_type: int
    resource_name: str
    configuration_keys: tuple[str, ...] | None = None


@value
class DescribeConfigsRequest:
    """DescribeConfigs (32)."""

    resources: tuple[DescribeConfigsResource, ...]
    include_synonyms: bool = False
    include_documentation: bool = False


@value
class DescribeConfigsSynonym:
    """A value that is set under another name, or at another level."""

    name: str
    value: str | None
    source: int


@value
class DescribeConfigsEntry:
    """A configuration with its value; the value of a sensitive configuration is None."""

    name: str
    value: str | None
    read_only: bool = False
    config_source: int = -1
    is_sensitive: bool = False
    synonyms: tuple[DescribeConfigsSynonym, ...] = ()
    config_type: int = 0
    documentation: str | None = None


@value
class DescribeConfigsResult:
    """The result for one resource."""

    error_code: int = 0
    error_message: str | None = ""
    resource_type: int
    resource_name: str
    configs: tuple[DescribeConfigsEntry, ...] = ()


@value
class DescribeConfigsResponse:
    """The reply to a DescribeConfigs request."""

    throttle_time_ms: int = 0
    results: tuple[DescribeConfigsResult, ...] = ()


@value
class ListConfigResourcesRequest:
    """ListConfigResources (74); no types mean every type.

    Version 0 has no types, and lists client metrics (16).
    """

    resource_types: tuple[int, ...] = (16,)


@value
class ListedConfigResource:
    """A resource that has configurations."""

    resource_name: str
    resource_type: int = 16


@value
class ListConfigResourcesResponse:
    """The reply to a ListConfigResources request."""

    throttle_time_ms: int = 0
    error_code: int = 0
    config_resources: tuple[ListedConfigResource, ...] = ()


ConfigsRequest = (
    AlterConfigsRequest
    | DescribeConfigsRequest
    | IncrementalAlterConfigsRequest
    | ListConfigResourcesRequest
)
ConfigsResponse = (
    AlterConfigsResponse
    | DescribeConfigsResponse
    | IncrementalAlterConfigsResponse
    | ListConfigResourcesResponse
)
