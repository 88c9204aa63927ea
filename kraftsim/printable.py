"""Escapes the control characters of foreign text, so that it cannot forge or hide printed lines."""

from unicodedata import category

# Cc: control characters, such as ESC and CR; Cf: format characters, such as those that reverse the
# direction of writing; Zl and Zp: separators of lines; Cs and Co: characters without a shape.
ESCAPED = frozenset(("Cc", "Cf", "Cs", "Co", "Zl", "Zp"))


def printable(text: str, *, keeps: str = "") -> str:
    r"""Returns the text with control characters as escape sequences, such as `\x1b` and `\n`.

    The characters of `keeps` are left as they are.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        character
        if category(character) not in ESCAPED or character in keeps
        else character.encode("unicode_escape").decode()
        for character in text
    )
