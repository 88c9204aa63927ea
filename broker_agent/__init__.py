"""One simulated broker: `agent` lives, `facade` answers clients, `client` and `fleet` do the IO."""
