"""How docs/iceberg.md says that engines are set up: the document is what is tested."""

import os
import re
from pathlib import Path

URL = os.environ["FIRN_TEST_URL"]
DOCUMENT = Path(__file__).parents[3] / "docs" / "iceberg.md"
ADDRESS = "http://127.0.0.1:8181/iceberg"


def snippet(engine: str, language: str) -> str:
    """The first block of code behind an engine's name, against the server under test."""
    _, after = DOCUMENT.read_text(encoding="utf-8").split(f"**{engine}**", 1)
    found = re.search(rf"```{language}\n(.*?)```", after, re.DOTALL)
    assert found is not None
    text = found[1]
    assert ADDRESS in text
    return text.replace(ADDRESS, URL)
