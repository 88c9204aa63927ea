"""Changes of partitions: ISR, ELR, leader, and placement of replicas."""
