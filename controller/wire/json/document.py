"""The type of a JSON object: a request, a response, a record or a view."""

Document = dict[str, object]
