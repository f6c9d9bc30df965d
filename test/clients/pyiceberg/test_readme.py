"""The README's session works when it is pasted."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import connect, drop_all

README = Path(__file__).parents[3] / "README.md"
ADDRESS = "http://127.0.0.1:8181/iceberg"
SESSIONS = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


def test_there_is_a_session():
    assert SESSIONS
    assert all(ADDRESS in session for session in SESSIONS)


@pytest.mark.parametrize("session", SESSIONS)
def test_a_pasted_session(session, tmp_path):
    script = tmp_path / "session.py"
    script.write_text(session.replace(ADDRESS, os.environ["FIRN_TEST_URL"]), encoding="utf-8")
    try:
        subprocess.run(
            [sys.executable, "-W", "error::SyntaxWarning", str(script)], check=True, timeout=60
        )
        catalog = connect()
        assert set(catalog.load_table("glacier.cores").refs()) == {"main", "season-1"}
    finally:
        drop_all(connect(), ("glacier",))
