"""What a broker does as the leader of partitions, and how much of it a throttle lets pass."""
