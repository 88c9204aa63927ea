"""Cluster-wide operations: bootstrap, registered controllers, DescribeCluster."""
