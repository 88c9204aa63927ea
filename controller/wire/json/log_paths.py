"""The HTTP paths of the committed log: the service serves them, the source of Spark reads them."""

LOG, LOG_END = "/v1/log", "/v1/log/end"
