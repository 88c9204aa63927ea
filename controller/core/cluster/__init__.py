"""The cluster as a whole: bootstrap, registered controllers, DescribeCluster."""
