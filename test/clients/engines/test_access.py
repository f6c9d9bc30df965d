"""Engines with a credential, set up as docs/access.md shows it; their tokens end meanwhile."""

import json
import os
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import duckdb
import duckdb_ext
import pytest
from snippets import guarded

URL = os.environ["FIRN_TEST_GUARDED_URL"]
KEY = os.environ["FIRN_TEST_GUARDED_KEY"]
# A client takes a name once, and `firn` is that of docs/iceberg.md.
NAME = "guarded"
ENDS_WITHIN_S = 120


def ask(path: str, credential: str | None) -> int:
    headers = {} if credential is None else {"Authorization": f"Bearer {credential}"}
    try:
        with urllib.request.urlopen(urllib.request.Request(URL + path, headers=headers)) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def token() -> str:
    form = {"grant_type": "client_credentials", "client_secret": KEY}
    body = urllib.parse.urlencode(form).encode()
    with urllib.request.urlopen(f"{URL}/v1/oauth/tokens", body) as answer:
        return json.load(answer)["access_token"]


def duck_connection() -> duckdb.DuckDBPyConnection:
    extensions = Path(duckdb_ext.__path__[0]) / "extensions"
    config = {"extension_directory": str(extensions), "autoinstall_known_extensions": "false"}
    connection = duckdb.connect(config=config)
    for extension in ("avro", "httpfs", "iceberg"):
        connection.execute(f"LOAD {extension}")
    return connection


@pytest.fixture(scope="module")
def guarded_duck():
    with duck_connection() as connection:
        for statement in guarded("DuckDB", "sql").replace("AS firn", f"AS {NAME}").split(";"):
            if statement.strip():
                connection.execute(statement)
        yield connection


@pytest.fixture(scope="module")
def duck_with_token():
    """With client credentials, of which it makes a token once."""
    with duck_connection() as connection:
        attach(connection)
        yield connection


def attach(connection: duckdb.DuckDBPyConnection) -> None:
    secret = f"CLIENT_ID 'admin', CLIENT_SECRET '{KEY}', OAUTH2_SERVER_URI '{URL}/v1/oauth/tokens'"
    connection.execute(f"CREATE OR REPLACE SECRET {NAME} (TYPE iceberg, {secret})")
    connection.execute(
        f"ATTACH 'default' AS {NAME} (TYPE iceberg, SECRET {NAME}, ENDPOINT '{URL}')"
    )


@pytest.fixture(scope="module")
def guarded_spark(spark):
    for name, value in re.findall(r"--conf (\S+?)=(\S+)", guarded("Spark", "sh")):
        spark.conf.set(name.replace("catalog.firn", f"catalog.{NAME}"), value)

    def run(statement: str) -> list[list]:
        return [list(row) for row in spark.sql(statement).collect()]

    return run


@pytest.fixture(scope="module")
def guarded_flink(flink):
    create = guarded("Flink", "sql").split(";")[0].replace("CATALOG firn", f"CATALOG {NAME}")
    flink(create)
    yield flink
    flink(f"DROP CATALOG {NAME}")


def test_no_engine_gets_in_without_a_key(spark):
    assert [ask("/v1/config", credential) for credential in (None, f"{KEY}x", KEY)] == [401, 401, 200]
    with duck_connection() as connection, pytest.raises(duckdb.Error):
        text = guarded("DuckDB", "sql").replace(KEY, f"{KEY[:-1]}x")
        for statement in text.split(";"):
            if statement.strip():
                connection.execute(statement)
        connection.execute("SHOW ALL TABLES").fetchall()
    wrong = {"": "org.apache.iceberg.spark.SparkCatalog", ".type": "rest", ".uri": URL}
    for option, value in {**wrong, ".credential": f"admin:{KEY}x"}.items():
        spark.conf.set(f"spark.sql.catalog.stranger{option}", value)
    with pytest.raises(Exception, match="(?i)not authorized|unauthorized|invalid_client|401"):
        spark.sql("SHOW NAMESPACES IN stranger").collect()


def test_duckdb_begins(guarded_duck, duck_with_token):
    guarded_duck.execute(f"CREATE SCHEMA {NAME}.duck")
    guarded_duck.execute(f"CREATE TABLE {NAME}.duck.t (depth BIGINT)")
    guarded_duck.execute(f"INSERT INTO {NAME}.duck.t VALUES (1)")
    rows = duck_with_token.execute(f"SELECT depth FROM {NAME}.duck.t").fetchall()
    assert rows == [(1,)]


def test_spark_begins(guarded_spark):
    guarded_spark(f"CREATE NAMESPACE {NAME}.spark")
    guarded_spark(f"CREATE TABLE {NAME}.spark.t (depth bigint) USING iceberg")
    guarded_spark(f"INSERT INTO {NAME}.spark.t VALUES (1)")


def test_flink_begins(guarded_flink):
    guarded_flink(f"CREATE DATABASE {NAME}.flink")
    guarded_flink(f"CREATE TABLE {NAME}.flink.t (depth BIGINT)")
    guarded_flink(f"INSERT INTO {NAME}.flink.t VALUES (1)")


def test_trino_begins(trino):
    trino(f"CREATE SCHEMA {NAME}.trino")
    trino(f"CREATE TABLE {NAME}.trino.t (depth BIGINT)")
    assert trino(f"INSERT INTO {NAME}.trino.t VALUES (1)") == [[1]]


def test_the_tokens_end():
    """All that the engines have got by now end before this one."""
    last = token()
    assert ask("/v1/config", last) == 200
    until = time.monotonic() + ENDS_WITHIN_S
    while ask("/v1/config", last) != 401:
        assert time.monotonic() < until
        time.sleep(0.2)


def test_spark_goes_on(guarded_spark):
    guarded_spark(f"INSERT INTO {NAME}.spark.t VALUES (2)")
    assert guarded_spark(f"SELECT depth FROM {NAME}.spark.t ORDER BY depth") == [[1], [2]]
    guarded_spark(f"DROP TABLE {NAME}.spark.t")


def test_flink_goes_on(guarded_flink):
    guarded_flink(f"INSERT INTO {NAME}.flink.t VALUES (2)")
    assert sorted(guarded_flink(f"SELECT depth FROM {NAME}.flink.t")) == ["1", "2"]
    guarded_flink(f"DROP TABLE {NAME}.flink.t")


def test_trino_goes_on(trino):
    assert trino(f"INSERT INTO {NAME}.trino.t VALUES (2)") == [[1]]
    assert trino(f"SELECT depth FROM {NAME}.trino.t ORDER BY depth") == [[1], [2]]
    trino(f"DROP TABLE {NAME}.trino.t")


def test_duckdb_goes_on(guarded_duck, duck_with_token):
    with pytest.raises(duckdb.Error, match="401"):
        duck_with_token.execute(f"INSERT INTO {NAME}.duck.t VALUES (0)")
    duck_with_token.execute(f"DETACH {NAME}")
    attach(duck_with_token)
    duck_with_token.execute(f"INSERT INTO {NAME}.duck.t VALUES (3)")
    guarded_duck.execute(f"INSERT INTO {NAME}.duck.t VALUES (2)")
    rows = guarded_duck.execute(f"SELECT depth FROM {NAME}.duck.t ORDER BY depth").fetchall()
    assert rows == [(1,), (2,), (3,)]
    guarded_duck.execute(f"DROP TABLE {NAME}.duck.t")
