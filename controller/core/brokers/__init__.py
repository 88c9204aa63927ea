"""Registration, heartbeats, leases, unregistration and decommission of brokers."""
