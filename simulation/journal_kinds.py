"""Kinds of journal rows to which a lesson's captions can be attached."""

EVENTS = (
    "broker_registered",
    "broker_unregistered",
    "broker_fenced",
    "broker_unfenced",
    "broker_in_controlled_shutdown",
    "topic_created",
    "topic_deleted",
    "partition_changed",
    "controller_elected",
    "controller_stands",
    "controller_resigns",
    "lease_expired",
    "agent_state",
    "controller_state",
    "clone_state",
    "fault_begins",
    "fault_ends",
    "calm_begins",
    "admin_refused",
)
