"""A JSON object: what a request, a response, a record or a view is as JSON."""

Document = dict[str, object]
