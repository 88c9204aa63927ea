"""Registration, heartbeats, leases, fencing, unregistration and decommission of brokers."""
