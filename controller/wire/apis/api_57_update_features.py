"""UpdateFeatures (57), versions 0 to 2: changes finalized levels (KIP-584; rule 5.54).

Version 1 adds the type of a downgrade and `validate_only`; version 2 has no results for single
features. Kafka 3.9 supports versions up to 1, Kafka 4.x up to 2.
"""

from ...core.rpc import (
    FeatureUpdate,
    UpdatableFeatureResult,
    UpdateFeaturesRequest,
    UpdateFeaturesResponse,
)
from ..codec.schema import BOOL, INT8, INT16, INT32, STRING, Array, Field, Struct, message

VERSIONS = (0, 2)

_UPDATE = Struct(
    FeatureUpdate,
    (
        Field("feature", STRING),
        Field("max_version_level", INT16),
        Field("allow_downgrade", BOOL, until=0),
        Field("upgrade_type", INT8, since=1),
    ),
)

REQUEST = message(
    "UpdateFeaturesRequest",
    UpdateFeaturesRequest,
    VERSIONS,
    Field("timeout_ms", INT32),
    Field("feature_updates", Array(_UPDATE, keyed_by="feature")),
    Field("validate_only", BOOL, since=1),
)

_RESULT = Struct(
    UpdatableFeatureResult,
    (
        Field("feature", STRING),
        Field("error_code", INT16),
        Field("error_message", STRING, nullable_since=0),
    ),
)

RESPONSE = message(
    "UpdateFeaturesResponse",
    UpdateFeaturesResponse,
    VERSIONS,
    Field("throttle_time_ms", INT32),
    Field("error_code", INT16),
    Field("error_message", STRING, nullable_since=0),
    Field("results", Array(_RESULT, keyed_by="feature"), until=1),
)
