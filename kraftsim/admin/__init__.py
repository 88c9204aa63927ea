"""An asynchronous client for Kafka's requests that Python's clients lack.

`Admin` talks to any Kafka with KRaft: kraftsim and released brokers and controllers. It offers
UnregisterBroker, the controllers, the quorum with its times, changes of the voters, fenced brokers
and features. Every error of a call is an `AdminError`.
"""

from .client import Admin
from .cluster_resource import ClusterResource, ClusterResourceListener
from .errors import AdminError
from .results import (
    Broker,
    ClusterDescription,
    Controller,
    ControllersDescription,
    Endpoint,
    FeaturesDescription,
    LevelRange,
    QuorumDescription,
    Replica,
)

__all__ = [
    "Admin",
    "AdminError",
    "Broker",
    "ClusterDescription",
    "ClusterResource",
    "ClusterResourceListener",
    "Controller",
    "ControllersDescription",
    "Endpoint",
    "FeaturesDescription",
    "LevelRange",
    "QuorumDescription",
    "Replica",
]
