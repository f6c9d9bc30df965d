"""Fixtures of the engines: each set up by the very snippet that docs/iceberg.md shows of it."""

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import duckdb_ext
import pytest
import trino as trino_client
from flink_session import FlinkSession
from pyspark.sql import SparkSession
from snippets import URL, guarded, snippet
from trino_server import TrinoServer

# The catalog alone tells engines how to reach files; nothing waits for a machine of AWS's.
for name in [name for name in os.environ if name.startswith("AWS_")]:
    del os.environ[name]
os.environ["AWS_EC2_METADATA_DISABLED"] = "true"


def installed(variable: str) -> str:
    """Where the runner has put what an engine needs; it has said why where it has not."""
    where = os.environ.get(variable)
    if where is None:
        pytest.skip(f"no {variable}: the runner has not got it")
    return where


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    jars = [installed("FIRN_TEST_SPARK_JAR"), os.environ.get("FIRN_TEST_SPARK_AWS_JAR")]
    builder = SparkSession.builder.master("local[1]")
    builder = builder.config("spark.jars", ",".join(jar for jar in jars if jar is not None))
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


@pytest.fixture(scope="session")
def flink(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], list[str]]]:
    """Runs a statement, answers its rows."""
    class_path = installed("FIRN_TEST_FLINK_CLASS_PATH")
    session = FlinkSession(class_path, URL, tmp_path_factory.mktemp("flink"))
    try:
        statements = [text for text in snippet("Flink", "sql").split(";") if text.strip()]
        for statement in [*statements, "USE CATALOG firn"]:
            session.run(statement)
            session.run(f"stream {statement}")
        yield session.run
    finally:
        session.stop()


@pytest.fixture(scope="session", autouse=True)
def starting_trino(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[TrinoServer | None]:
    """Starts it before the first test, if any wants it: it is a minute behind the others."""
    home = os.environ.get("FIRN_TEST_TRINO_HOME")
    wanted = any("trino" in getattr(item, "fixturenames", ()) for item in request.session.items)
    if home is None or not wanted:
        yield None
        return
    directory = tmp_path_factory.mktemp("trino")
    catalogs = {"firn": snippet("Trino", "properties"), "guarded": guarded("Trino", "properties")}
    server = TrinoServer(Path(home), directory, catalogs)
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="session")
def trino(starting_trino: TrinoServer | None) -> Iterator[Callable[[str], list[list]]]:
    """Runs a statement, answers its rows."""
    installed("FIRN_TEST_TRINO_HOME")
    assert starting_trino is not None
    starting_trino.wait()
    connection = trino_client.dbapi.connect(
        host="127.0.0.1", port=starting_trino.port, user="firn", catalog="firn"
    )

    def run(statement: str) -> list[list]:
        cursor = connection.cursor()
        cursor.execute(statement)
        return cursor.fetchall()

    yield run
    connection.close()
