"""Escapes the control characters of foreign text, so that it cannot forge or hide printed lines."""


def printable(text: str, *, keeps: str = "") -> str:
    r"""Returns the text with control characters as escape sequences, such as `\x1b` and `\n`.

    Characters that reverse the direction of writing or separate lines are escaped too. The
    characters of `keeps` are left as they are.
    """
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char in keeps else char.encode("unicode_escape").decode()
        for char in text
    )
