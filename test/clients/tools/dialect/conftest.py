"""SQLAlchemy's plugin of pytest, and a line of JSON for what became of each test."""

import json
import re

import pytest

pytest.register_assert_rewrite("sqlalchemy.testing.assertions")

from sqlalchemy.testing.plugin.pytestplugin import *  # noqa: E402,F401,F403
from sqlalchemy.testing.plugin import pytestplugin  # noqa: E402

_outcomes = {}


def pytest_sessionstart(session):
    from sqlalchemy.dialects.postgresql import provision

    # Its other tests need them, the suite does not.
    provision._extensions.clear()
    pytestplugin.pytest_sessionstart(session)


def pytest_runtest_logreport(report):
    # The server's version is in the name of the class.
    name = re.sub(r"_postgresql\+psycopg_[0-9_]+", "", report.nodeid.partition("::")[2])
    if report.outcome == "failed":
        _outcomes[name] = {"outcome": "failed", "why": _last(str(report.longrepr))}
    elif report.outcome == "skipped":
        _outcomes.setdefault(name, {"outcome": "skipped", "why": str(report.longrepr[2])})
    elif report.when == "call":
        _outcomes.setdefault(name, {"outcome": "passed"})


def pytest_sessionfinish(session):
    from required import REFUSED

    print()  # Ends the line of dots.
    if REFUSED:
        told = {"outcome": "skipped", "why": f"refused: {', '.join(REFUSED)}"}
        print("STEP " + json.dumps({"step": "not run", "told": told}))
    for name, what in _outcomes.items():
        print("STEP " + json.dumps({"step": name, "told": what}))
    pytestplugin.pytest_sessionfinish(session)


def _last(text):
    """What an error says: the lines that pytest marks, the first of them."""
    marked = [line[1:].strip() for line in text.split("\n") if line.startswith("E ")]
    return (marked or text.strip().split("\n")[-1:])[0]
