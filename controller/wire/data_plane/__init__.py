"""The APIs of Kafka's brokers that a broker's listener refuses, or answers with nothing.

Most need stored messages; ACLs and delegation tokens need an authorizer or a secret.

Their schemas are text, in the versions of Kafka 4.4.
"""
