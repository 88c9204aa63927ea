"""The fenced blocks of the documents: commands, Python, and text."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GENERATED = ("cli.md", "fidelity.md", "http.md", "rules.md")
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *(page for page in sorted((ROOT / "docs").glob("*.md")) if page.name not in GENERATED),
]
FENCE = "```"


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block, with the page and the heading (without its marks) that it stands under."""

    page: str
    heading: str
    language: str
    text: str


def blocks_of(page: Path) -> list[Block]:
    """Returns the fenced blocks of a page, in order."""
    blocks, heading, opened = [], "", None
    lines: list[str] = []
    for line in page.read_text("utf-8").splitlines():
        if opened is None and line.startswith(FENCE):
            opened, lines = line.removeprefix(FENCE).strip(), []
        elif opened is not None and line.strip() == FENCE:
            blocks.append(Block(page.name, heading, opened, "\n".join(lines) + "\n"))
            opened = None
        elif opened is not None:
            lines.append(line)
        elif marked := re.match(r"#+ (.*)", line):
            heading = marked[1]
    if opened is not None:
        raise ValueError(f"{page.name}: the last block is not closed")
    return blocks


def command(line: str) -> str:
    """Returns a line of shell without its trailing comment and spaces."""
    return re.sub(r"\s+# .*", "", line).strip()
