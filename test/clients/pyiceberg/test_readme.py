"""The README's session works when it is pasted, also a second time, and prints what it shows."""

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
    # What a session prints stands below the line that prints it.
    shown = re.findall(r"^# (.*)$", session, re.MULTILINE)
    assert shown
    command = [sys.executable, "-W", "error::SyntaxWarning", str(script)]
    try:
        for _ in ("once", "and again"):
            ran = subprocess.run(
                command, check=True, timeout=60, stdout=subprocess.PIPE, encoding="utf-8"
            )
            assert ran.stdout.splitlines() == shown
        catalog = connect()
        assert set(catalog.load_table("glacier.cores").refs()) == {"main", "season-1"}
    finally:
        drop_all(connect(), ("glacier",))
