"""What the console says to connect PyIceberg."""

import sys
from pathlib import Path

import pyarrow as pa
import pytest
from conftest import URL

sys.path.append(str(Path(__file__).parents[1]))
from connect_snippets import connect_snippets  # noqa: E402

pytestmark = pytest.mark.firn


@pytest.mark.parametrize("principal", ["", "ann"])
@pytest.mark.parametrize("name", ["cores", "a\"b'c d\u00e9"])
def test_the_lines_read_the_table(catalog, namespace, name, principal, capsys, monkeypatch):
    rows = pa.table({"depth": pa.array([9007199254740993], pa.int64())})
    catalog.create_table((namespace, name), rows.schema).append(rows)
    shown = connect_snippets(URL, "default", namespace, name, principal=principal)
    monkeypatch.setenv("FIRN_TOKEN", "t")
    exec(shown["PyIceberg"], {})
    assert "9007199254740993" in capsys.readouterr().out
