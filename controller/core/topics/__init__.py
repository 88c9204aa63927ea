"""Creation, growth and deletion of topics; the request that describes the quorum."""
