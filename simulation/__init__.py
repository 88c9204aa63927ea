"""A simulated cluster on one timeline: controllers, brokers, network, disks and faults."""
