"""The running simulation, listeners, requests and waits of a cluster, which its parts use."""
