"""Fixtures of the engines: each set up by the very snippet that docs/iceberg.md shows of it."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import duckdb_ext
import pytest
from pyspark.sql import SparkSession

URL = os.environ["FIRN_TEST_URL"]
SPARK_JAR = os.environ["FIRN_TEST_SPARK_JAR"]
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


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    builder = SparkSession.builder.master("local[1]").config("spark.jars", SPARK_JAR)
    # Of this machine alone, and without what a single process does not need.
    builder = builder.config("spark.driver.bindAddress", "127.0.0.1")
    builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "1")
    settings = re.findall(r"--conf (\S+?)=(\S+)", snippet("Spark", "sh"))
    assert len(settings) == 4
    for name, value in settings:
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("FATAL")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def duck() -> Iterator[duckdb.DuckDBPyConnection]:
    # What `INSTALL` would download came as packages.
    extensions = Path(duckdb_ext.__path__[0]) / "extensions"
    connection = duckdb.connect(
        config={"extension_directory": str(extensions), "autoinstall_known_extensions": "false"}
    )
    for extension in ("avro", "httpfs"):
        connection.execute(f"LOAD {extension}")
    statements = snippet("DuckDB", "sql").split(";")
    assert statements.pop(0).strip() == "INSTALL iceberg"
    for statement in statements:
        if statement.strip():
            connection.execute(statement)
    yield connection
    connection.close()
