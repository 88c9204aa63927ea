"""The states of a broker's registration, as every command, document and table spells them."""

from enum import StrEnum


class RegistrationState(StrEnum):
    """The state of a broker in the committed metadata log.

    REGISTERED is true of every broker that is not UNREGISTERED. A broker whose controlled shutdown
    is in the log stays registered, and fenced or unfenced, besides.
    """

    REGISTERED = "registered"
    UNREGISTERED = "unregistered"
    FENCED = "fenced"
    UNFENCED = "unfenced"
    IN_CONTROLLED_SHUTDOWN = "in_controlled_shutdown"
