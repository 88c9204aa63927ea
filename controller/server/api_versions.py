"""ApiVersions: what a listener speaks and what the cluster finalized (rules 5.46 to 5.53)."""

import re

from ..core.errors import ErrorCode
from ..core.image import Image
from ..core.profile import Profile
from ..core.rpc import (
    ApiVersion,
    ApiVersionsRequest,
    ApiVersionsResponse,
    FinalizedFeatureKey,
)
from ..node import Node
from ..wire.apis import APIS

_SOFTWARE = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?")
SOFTWARE_NAMED_FROM = 3
ZERO_MINIMUM_FROM = 4  # below it, a feature whose minimum is 0 breaks the client's parser (5.51)

# The order of the releases' answers (golden 4.3.1 A1, seq 1): a hash map's, kept for its bytes.
_FINALIZED_ORDER = (
    "group.version",
    "streams.version",
    "transaction.version",
    "eligible.leader.replicas.version",
    "share.version",
    "metadata.version",
)


def answer(
    request: ApiVersionsRequest, version: int, *, listener: str, image: Image, profile: Profile
) -> ApiVersionsResponse:
    """What `listener` ("controller" or "broker") offers; 42 for a software name that is none."""
    names = (request.client_software_name, request.client_software_version)
    if version >= SOFTWARE_NAMED_FROM and not all(_SOFTWARE.fullmatch(name) for name in names):
        return ApiVersionsResponse(error_code=ErrorCode.INVALID_REQUEST)
    return ApiVersionsResponse(
        api_keys=tuple(
            ApiVersion(api_key=api.key, min_version=api.min_version, max_version=api.max_version)
            for _, api in sorted(APIS.items())
            if listener in api.listeners
        ),
        supported_features=tuple(
            one
            for one in profile.supported_feature_keys
            if one.min_version > 0 or version >= ZERO_MINIMUM_FROM
        ),
        finalized_features_epoch=image.features_offset,
        finalized_features=_finalized(image),
    )


def of_controller(node: Node, request: ApiVersionsRequest, version: int) -> ApiVersionsResponse:
    return answer(
        request, version, listener="controller", image=node.committed, profile=node.profile
    )


def _finalized(image: Image) -> tuple[FinalizedFeatureKey, ...]:
    """Levels above 0, but never kraft.version, which is the quorum's own (rule 5.52)."""
    named = [name for name in _FINALIZED_ORDER if name in image.features]
    named += sorted(set(image.features) - set(named))
    return tuple(
        FinalizedFeatureKey(
            name=name,
            max_version_level=image.features[name],
            min_version_level=image.features[name],
        )
        for name in named
    )
