"""The data plane of a broker beside kfake and a released Kafka."""
