"""Names of fields in JSON: lowerCamel in JSON and in text for people, snake case in Python."""


def lower_camel(name: str) -> str:
    """Converts snake case to lower camel case."""
    first, *words = name.split("_")
    return first + "".join(word.capitalize() for word in words)
