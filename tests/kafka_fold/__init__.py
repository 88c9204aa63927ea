"""A judge from elsewhere: a released Kafka folds the logs and snapshots of chaos runs.

`chaos.py` lives a run and keeps what its controllers wrote. `KafkaFold.java` folds it on Kafka's
own classes, twice: as brokers do (MetadataDelta, MetadataImage), and as controllers do, which
refuse more (QuorumController as a follower). No code of kraftsim takes part in the comparison:
both states are compared as the records of a snapshot, decoded and printed by Kafka.
"""
