"""What a broker does as the leader of partitions, how fast it replicates, and how replicas move."""
