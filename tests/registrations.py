"""The request of a broker that offers what the default profile supports; benchmarks send it too."""

from kraftsim.controller.core.profile import DEFAULT_PROFILE
from kraftsim.controller.core.rpc import BrokerFeature, BrokerListener, BrokerRegistrationRequest


def first_registration(
    broker_id: int, cluster_id: str, rack: str | None = None
) -> BrokerRegistrationRequest:
    return BrokerRegistrationRequest(
        broker_id=broker_id,
        cluster_id=cluster_id,
        incarnation_id=broker_id.to_bytes(16, "big"),
        listeners=(BrokerListener(name="PLAINTEXT", host="127.0.0.1", port=9092),),
        features=tuple(
            BrokerFeature(name=name, min_supported_version=low, max_supported_version=high)
            for name, low, high in DEFAULT_PROFILE.supported_features
        ),
        log_dirs=((broker_id + (1 << 100)).to_bytes(16, "big"),),
        rack=rack,
    )
