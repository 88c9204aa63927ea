"""Changes of partitions: ISR, ELR, leader, and where replicas are placed."""
