"""What runs of a cluster, which its parts are given: simulation, listeners, requests and waits."""
