"""What the console says to connect each engine, run as it stands; but for the catalog's name."""

import re
import shlex
import sys
from pathlib import Path

import duckdb
import duckdb_ext
import pytest
from snippets import URL

sys.path.append(str(Path(__file__).parents[1]))
from connect_snippets import connect_snippets  # noqa: E402

# A client takes a name once, and `firn` is that of docs/iceberg.md.
NAME = "shown"


@pytest.fixture(scope="module")
def shown(duck):
    duck.execute("CREATE SCHEMA firn.connect")
    duck.execute("CREATE TABLE firn.connect.cores (depth BIGINT)")
    duck.execute("INSERT INTO firn.connect.cores VALUES (9007199254740993)")
    yield connect_snippets(URL, "default", "connect", "cores")
    duck.execute("DROP TABLE firn.connect.cores")
    duck.execute("DROP SCHEMA firn.connect")


def test_duckdb(shown):
    extensions = Path(duckdb_ext.__path__[0]) / "extensions"
    config = {"extension_directory": str(extensions), "autoinstall_known_extensions": "false"}
    with duckdb.connect(config=config) as connection:
        for extension in ("avro", "httpfs"):
            connection.execute(f"LOAD {extension}")
        install, *statements = [text for text in shown["DuckDB"].split(";") if text.strip()]
        # What `INSTALL` would download came as packages.
        assert install == "INSTALL iceberg"
        for statement in statements:
            result = connection.execute(statement)
        assert result.fetchall() == [(9007199254740993,)]


def test_spark(shown, spark):
    words = shlex.split(shown["Spark"].replace("\\\n", " "))
    for setting in [after for word, after in zip(words, words[1:]) if word == "--conf"]:
        key, value = setting.split("=", 1)
        spark.conf.set(key.replace("catalog.firn", f"catalog.{NAME}"), value)
    query = words[words.index("-e") + 1].replace("FROM firn.", f"FROM {NAME}.")
    assert [tuple(row) for row in spark.sql(query).collect()] == [(9007199254740993,)]


def test_flink(shown, flink):
    create, select = [text for text in shown["Flink"].split(";") if text.strip()]
    flink(create.replace("CATALOG firn", f"CATALOG {NAME}"))
    try:
        assert flink(select.strip().replace("FROM firn.", f"FROM {NAME}.")) == ["9007199254740993"]
    finally:
        flink(f"DROP CATALOG {NAME}")


def test_trino(shown, trino):
    # Its properties are a file that is read at its start: test/console compares them.
    found = re.search("-- (SELECT .*);", shown["Trino"])
    assert found is not None
    assert trino(found[1]) == [[9007199254740993]]
