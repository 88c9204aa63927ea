"""The table of all APIs: versions, schemas, listeners; and requests that end their connection."""
