"""The APIs of Kafka's brokers that need stored messages, which a facade refuses or answers empty.

Their schemas are text, in the versions of Kafka 4.4.
"""
