"""What a broker answers producers and consumers from the logs of its replicas, without IO."""
