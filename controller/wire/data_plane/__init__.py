"""The APIs of Kafka's brokers that a broker's listener refuses, or answers with nothing.

Most need stored messages; delegation tokens need a secret. Controllers refuse SASL and delegation
tokens too.

Their schemas are text, in the versions of Kafka 4.4.
"""
