"""What `kraftsim follow` refuses before Java has started."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.kraftsim.conftest import Said

Run = Callable[[str], Said]


def test_without_java_one_line_says_what_installs_it(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))

    code, _, err = run("follow --url http://127.0.0.1:1")
    assert (1, 1) == (code, len(err.splitlines()))
    assert "apt-get install openjdk-17-jre-headless" in err


def test_an_address_where_nobody_answers_is_told_at_once(run: Run) -> None:
    code, _, err = run("follow --once --url http://127.0.0.1:1")

    assert 5 == code
    assert "http://127.0.0.1:1: no service answers" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--url http://h --path /x", "expected --url or --path, got both"),
        ("--url h", "expected an address such as http://127.0.0.1:8090, got 'h'"),
        ("--path /x --conf spark.a", "argument --conf: expected KEY=VALUE, got 'spark.a'"),
        ("--path {tmp} --once", "expected a file, or a folder with segments of a metadata log"),
        ("--path {tmp}/none --once", "got no such path"),
        ("--path /x --master foo", "--master: expected local[2,4] or spark://HOST:PORT, got foo"),
    ],
)
def test_what_cannot_be_meant_is_refused(run: Run, words: str, said: str, tmp_path: Path) -> None:
    code, _, err = run(f"follow {words.format(tmp=tmp_path)}")

    assert 2 == code
    assert said in err
