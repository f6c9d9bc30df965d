"""How docs/iceberg.md says that engines are set up: the document is what is tested."""

import os
import re
from pathlib import Path

URL = os.environ["FIRN_TEST_URL"]
DOCUMENT = Path(__file__).parents[3] / "docs" / "iceberg.md"
GUARDED = DOCUMENT.parent / "access.md"
ADDRESS = "http://127.0.0.1:8181/iceberg"


def block(document: Path, engine: str, language: str) -> str:
    """The first block of code behind an engine's name."""
    _, after = document.read_text(encoding="utf-8").split(f"**{engine}**", 1)
    found = re.search(rf"```{language}\n(.*?)```", after, re.DOTALL)
    assert found is not None
    assert ADDRESS in found[1]
    return found[1]


def snippet(engine: str, language: str) -> str:
    """As docs/iceberg.md has it, against the server under test."""
    return block(DOCUMENT, engine, language).replace(ADDRESS, URL)


def guarded(engine: str, language: str) -> str:
    """As docs/access.md has it, against the server that asks for a key."""
    text = block(GUARDED, engine, language).replace(ADDRESS, os.environ["FIRN_TEST_GUARDED_URL"])
    assert "firn_…" in text
    return text.replace("firn_…", os.environ["FIRN_TEST_GUARDED_KEY"])
