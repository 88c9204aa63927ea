"""ApiVersions: the APIs of a listener and the finalized features (rules 5.46 to 5.53).

The highest version of ApiVersions itself depends on the profile. A request in a higher version gets
error 35 in a response of version 0 (rule 5.47).
"""

import re
from collections.abc import Mapping
from functools import lru_cache

from ..core.api_row import ABSENT
from ..core.apis import ROWS
from ..core.errors import ErrorCode
from ..core.feature_levels import KRAFT_VERSION, METADATA_VERSION
from ..core.hash_order import in_copied_order
from ..core.image.image import Image
from ..core.profile import Profile
from ..core.rpc import (
    ApiVersion,
    ApiVersionsRequest,
    ApiVersionsResponse,
    FinalizedFeatureKey,
    SupportedFeatureKey,
)
from ..node.node import Node
from ..wire.apis.table import API_VERSIONS, APIS, Api
from ..wire.frames import encode_response

_SOFTWARE = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?")
SOFTWARE_NAMED_FROM = 3
ZERO_MINIMUM_FROM = 4  # below, a feature with minimum 0 breaks the client's parser (5.51)
NODE_NAMED_FROM = 5


def answer(
    request: ApiVersionsRequest,
    version: int,
    *,
    listener: str,
    image: Image,
    profile: Profile,
    broker: tuple[str, int] | None = None,
) -> ApiVersionsResponse:
    """Returns the response of a node to an ApiVersions request in `version`.

    `listener` is the kind of the listener that got the request, "controller" or "broker": the
    response lists the APIs that Kafka offers there. `broker` is (cluster id, node id) of the broker
    that responds; it refuses a request that names another cluster or node (KIP-1242). A controller
    passes None and checks neither.
    """
    refused = refusal(request, version, profile, broker)
    return refused or listed(version, listener=listener, image=image, profile=profile)


def encoded_refusal(frame: bytes, response: ApiVersionsResponse) -> bytes:
    """Returns the frame of a refusal, which is in version 0 whatever was asked for (rule 5.47)."""
    correlation_id = int.from_bytes(frame[4:8], signed=True)
    return encode_response(API_VERSIONS, 0, correlation_id, response)


def listed(
    version: int,
    *,
    listener: str,
    image: Image,
    profile: Profile,
    controller: Profile | None = None,
) -> ApiVersionsResponse:
    """Returns the response to every valid request in `version`.

    A broker that knows the release of the active controller lists of the APIs that it forwards only
    the versions of both (rule 5.48a).
    """
    newest = _newest_versions(profile, controller)
    return ApiVersionsResponse(
        api_keys=tuple(
            _range(api, listener, profile, newest)
            for _, api in sorted(APIS.items())
            if listener in api.listeners
            and not ROWS[api.key].is_telemetry
            and newest.get(api.key) != ABSENT
        ),
        supported_features=tuple(
            SupportedFeatureKey(name=name, min_version=low, max_version=high)
            for name, low, high in profile.supported_features
            if low > 0 or version >= ZERO_MINIMUM_FROM
        ),
        finalized_features_epoch=image.features_offset,
        finalized_features=_finalized(image, profile),
    )


def of_controller(node: Node, request: ApiVersionsRequest, version: int) -> ApiVersionsResponse:
    """Returns the response of a controller to an ApiVersions request."""
    return answer(
        request, version, listener="controller", image=node.committed, profile=node.profile
    )


def spoken(listener: str, profile: Profile) -> frozenset[tuple[int, int]]:
    """Returns every (key, version) that a node with the profile handles at a listener.

    They are those that it lists, with all versions of ApiVersions, which is never refused by an end
    of the connection, those that controllers always exchange in the newest version, and telemetry.
    """
    return frozenset(
        (api.key, version)
        for api in APIS.values()
        if listener in api.listeners and profile.newest_versions.get(api.key) != ABSENT
        for version in range(_oldest(api, listener), newest_served(api.key, profile) + 1)
    )


def _oldest(api: Api, listener: str) -> int:
    since = ROWS[api.key].controller_since if listener == "controller" else None
    return api.min_version if since is None else since


def newest_served(key: int, profile: Profile) -> int:
    """Returns the newest version of an API that a node with the profile handles."""
    api = APIS[key]
    if ROWS[key].is_always_newest or key == API_VERSIONS:
        return api.max_version
    return profile.newest_versions.get(key, api.max_version)


def unsupported(profile: Profile) -> ApiVersionsResponse:
    """Returns error 35 with the supported versions of ApiVersions (rule 5.47)."""
    return ApiVersionsResponse(
        error_code=ErrorCode.UNSUPPORTED_VERSION,
        api_keys=(_range(APIS[API_VERSIONS], "", profile, {}),),
    )


def refusal(
    request: ApiVersionsRequest, version: int, profile: Profile, broker: tuple[str, int] | None
) -> ApiVersionsResponse | None:
    """Returns an error response, or None.

    35 for an unsupported version, 42 for an invalid software name or a cluster without a node, 129
    for another cluster or broker.
    """
    if version > profile.api_versions_max:
        return unsupported(profile)
    if version >= SOFTWARE_NAMED_FROM and not _names_software(
        request.client_software_name, request.client_software_version
    ):
        return ApiVersionsResponse(error_code=ErrorCode.INVALID_REQUEST)
    receiver = (request.cluster_id, request.node_id)
    if version < NODE_NAMED_FROM or receiver == (None, -1):
        return None
    if None in receiver or -1 in receiver:
        return ApiVersionsResponse(error_code=ErrorCode.INVALID_REQUEST)
    if broker is not None and receiver != broker:
        return ApiVersionsResponse(error_code=ErrorCode.REBOOTSTRAP_REQUIRED)
    return None


@lru_cache(maxsize=64)
def _names_software(name: str, version: str) -> bool:
    """True if the name and the version of a client are valid; few clients are asked about."""
    return bool(_SOFTWARE.fullmatch(name) and _SOFTWARE.fullmatch(version))


def _newest_versions(profile: Profile, controller: Profile | None) -> Mapping[int, int]:
    """Returns the newest version of the APIs of which fewer than all versions are listed."""
    newest = dict(profile.newest_versions)
    for key, version in () if controller is None else controller.newest_versions.items():
        if ROWS[key].is_forwardable:
            newest[key] = min(version, newest.get(key, version))
    return newest


def _range(api: Api, listener: str, profile: Profile, newest: Mapping[int, int]) -> ApiVersion:
    highest = newest.get(api.key, api.max_version)
    if api.key == API_VERSIONS:
        highest = profile.api_versions_max
    listed = ROWS[api.key].listed_since
    oldest = _oldest(api, listener) if listed is None else listed
    return ApiVersion(api_key=api.key, min_version=oldest, max_version=highest)


def _finalized(image: Image, profile: Profile) -> tuple[FinalizedFeatureKey, ...]:
    """Returns the finalized levels above 0, in the order of Kafka's hash map (rule 5.52).

    kraft.version is included. Kafka copies the map to add metadata.version, and again to add
    kraft.version.
    """
    levels = image.finalized
    if profile.assumes_lowest_level:
        levels = {METADATA_VERSION: profile.lowest_metadata_version} | levels
    names = [name for name in levels if name not in (METADATA_VERSION, KRAFT_VERSION)]
    if METADATA_VERSION in levels:
        names = in_copied_order([*names, METADATA_VERSION], len(names), len(names) + 1)
    if KRAFT_VERSION in levels:
        names = in_copied_order([*names, KRAFT_VERSION], len(names) + 1, len(names) + 1)
    return tuple(
        FinalizedFeatureKey(
            name=name, max_version_level=levels[name], min_version_level=levels[name]
        )
        for name in names
    )
