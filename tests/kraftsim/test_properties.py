"""A Kafka `.properties` file: what is read, what is used, and which line is wrong."""

from pathlib import Path

import pytest

from kraftsim.files.properties import FILE_BYTES_MAX, read_properties


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "server.properties"
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("", {}),
        ("\n\n  \n", {}),
        ("# a comment\n! another\n  # a third = 3\n", {}),
        ("a=1\nb = 2\n  c=3", {"a": "1", "b": "2", "c": "3"}),
        ("a=1\na=2", {"a": "2"}),
        ("a=", {"a": ""}),
        ("a=b=c", {"a": "b=c"}),
        ("a=1,\\\n   2,\\\n   3\nb=4", {"a": "1,2,3", "b": "4"}),
        ("a=1\\", {"a": "1"}),
        ("a=1\\\\\nb=2", {"a": "1\\", "b": "2"}),
        ("a:1\nb 2\nc\t=\t3\nd : 4", {"a": "1", "b": "2", "c": "3", "d": "4"}),
        ("a\\=b\\:c=d\\=e", {"a=b:c": "d=e"}),
        ("a=\\u00fc\\t\\q", {"a": "ü\tq"}),
        ("a=1 ", {"a": "1 "}),
        ("a=1,\\\n\n b=2", {"a": "1,", "b": "2"}),
        ("a=1\\\n#2", {"a": "1#2"}),
        ("=1", {"": "1"}),
        ("a=1\r\nb=2\r\n", {"a": "1", "b": "2"}),
    ],
)
def test_pairs_are_read(tmp_path: Path, text: str, pairs: dict[str, str]) -> None:
    assert read_properties(written(tmp_path, text)) == pairs


def test_a_line_that_is_no_pair_is_named_by_file_and_number(tmp_path: Path) -> None:
    path = written(tmp_path, "a=1\n\nnonsense\n")

    with pytest.raises(ValueError) as refused:
        read_properties(path)
    assert str(refused.value) == f"{path}:3: expected key=value, got 'nonsense'"


def test_a_file_of_any_size_is_not_read(tmp_path: Path) -> None:
    path = written(tmp_path, "a=" + "1" * FILE_BYTES_MAX)

    with pytest.raises(ValueError, match="expected at most"):
        read_properties(path)
