"""Registration, heartbeats, fencing, unregistration and decommission of brokers."""
