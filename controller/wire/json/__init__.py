"""The same schemas as JSON documents and as JSON Schema."""
