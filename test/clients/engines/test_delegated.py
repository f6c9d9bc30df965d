"""Engines that hold no credentials of the store: the catalog lends them, or signs each request."""

import json
import os
import re
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

import duckdb
import duckdb_ext
import pytest
from snippets import ADDRESS, GUARDED, block

LENT, SIGNED = "lent", "signed"
READER = "reader"
REFUSED = "(?i)access ?denied|status code: 403|forbidden"
PART_BYTES = 5 * 1024 * 1024


def given(name: str) -> str:
    """What the runner tells of a server; it has said why there is none."""
    value = os.environ.get(f"FIRN_TEST_{name}")
    if value is None:
        pytest.skip(f"no FIRN_TEST_{name}: the runner has not got it")
    return value


def native(mode: str, path: str, body: object) -> dict:
    url = f"{given(f'{mode.upper()}_URL').removesuffix('/iceberg')}/api/v1{path}"
    headers = {
        "Authorization": f"Bearer {given('DELEGATING_KEY')}",
        "Content-Type": "application/json",
    }
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def configured(text: str, mode: str, key: str) -> str:
    return text.replace(ADDRESS, given(f"{mode.upper()}_URL")).replace("firn_…", key)


@pytest.fixture(scope="module")
def s3_spark(spark):
    """Makes a catalog of Spark as docs/access.md shows it, with another name, mode or principal."""
    given("SPARK_AWS_JAR")

    def attach(name: str, mode: str, reader: str | None = None) -> Callable[[str], list[list]]:
        text = block(GUARDED, "Spark with files on S3", "sh")
        if reader is not None:
            text = text.replace("=admin:firn_…", f"={READER}:{reader}")
        text = configured(text, mode, given("DELEGATING_KEY"))
        settings = re.findall(r"--conf (\S+?)=(\S+)", text)
        assert settings[-1][1] == "vended-credentials"
        if mode == SIGNED:
            settings[-1] = (settings[-1][0], "remote-signing")
            # A file of some parts is not a large one.
            settings.append(("spark.sql.catalog.firn.s3.multipart.part-size-bytes", PART_BYTES))
        for option, value in settings:
            spark.conf.set(option.replace("catalog.firn", f"catalog.{name}"), str(value))
        return lambda statement: [list(row) for row in spark.sql(statement).collect()]

    return attach


@pytest.fixture(scope="module")
def lent_spark(s3_spark):
    run = s3_spark(LENT, LENT)
    run(f"CREATE NAMESPACE {LENT}.spark")
    return run


@pytest.fixture(scope="module")
def signed_spark(s3_spark):
    run = s3_spark(SIGNED, SIGNED)
    run(f"CREATE NAMESPACE {SIGNED}.spark")
    return run


def reader_of(mode: str) -> str:
    """The key of a principal that may read one table."""
    native(mode, "/principals", {"name": READER})
    on = {"catalog": "default", "namespace": ["spark"], "name": "t"}
    native(mode, "/grants", {"principal": READER, "privileges": ["read-metadata", "read-data"], **on})
    return native(mode, f"/principals/{READER}/keys", {})["key"]


def audited(mode: str, wanted: Callable[[dict], bool]) -> None:
    """Waits for an entry of the server's audit log, which is written behind the answers."""
    log = Path(given(f"{mode.upper()}_AUDIT"))
    until = time.monotonic() + 30
    while not any(wanted(json.loads(line)) for line in log.read_text().splitlines()):
        assert time.monotonic() < until
        time.sleep(0.1)


def write_and_read(run: Callable[[str], list[list]], name: str) -> None:
    """Partitions whose names S3 encodes, deletes, and files that are not needed any more."""
    table = f"{name}.spark.t"
    run(f"CREATE TABLE {table} (depth bigint, site string) USING iceberg PARTITIONED BY (site)")
    run(f"INSERT INTO {table} VALUES (1, 'a b/c%d'), (2, 'é'), (3, 'x')")
    run(f"INSERT INTO {table} VALUES (4, 'x')")
    run(f"DELETE FROM {table} WHERE depth = 4")
    kept = [[1, "a b/c%d"], [2, "é"], [3, "x"]]
    assert run(f"SELECT * FROM {table} ORDER BY depth") == kept
    now = "TIMESTAMP '2099-01-01 00:00:00'"
    [counts] = run(
        f"CALL {name}.system.expire_snapshots(table => 'spark.t', older_than => {now}, retain_last => 1)"
    )
    assert counts[0] == 1  # data files deleted
    assert run(f"SELECT * FROM {table} ORDER BY depth") == kept


def test_spark_works_with_lent_credentials(lent_spark):
    write_and_read(lent_spark, LENT)
    lent_spark(f"CREATE TABLE {LENT}.spark.copy USING iceberg AS SELECT * FROM {LENT}.spark.t")
    assert lent_spark(f"SELECT count(*) FROM {LENT}.spark.copy") == [[3]]
    lent_spark(f"DROP TABLE {LENT}.spark.copy PURGE")
    audited(LENT, lambda entry: entry["operation"] == "vend" and entry["principal"] == "admin")


def test_a_reader_is_lent_what_reads(s3_spark, lent_spark):
    run = s3_spark("lentreader", LENT, reader_of(LENT))
    assert run("SELECT count(*) FROM lentreader.spark.t") == [[3]]
    with pytest.raises(Exception, match=REFUSED):
        run("INSERT INTO lentreader.spark.t VALUES (9, 'x')")
    assert lent_spark(f"SELECT count(*) FROM {LENT}.spark.t") == [[3]]


def table_of(spark, name: str):
    session = spark._jsparkSession
    return spark._jvm.org.apache.iceberg.spark.Spark3Util.loadIcebergTable(session, name)


def test_java_renews_what_was_lent(spark, lent_spark):
    """At the endpoint that the catalog names, before the credentials end; by the right held now."""
    properties = table_of(spark, f"{LENT}.spark.t").io().properties()
    old = dict(properties)
    assert old["client.refresh-credentials-endpoint"].endswith("/credentials")
    java = spark._jvm
    soon = java.java.util.HashMap(properties)
    soon["s3.session-token-expires-at-ms"] = str(int(time.time() * 1000) + 60_000)
    soon["credentials.uri"] = old["client.refresh-credentials-endpoint"]
    soon["oauth2-server-uri"] = f"{given('LENT_URL')}/v1/oauth/tokens"
    provider = java.org.apache.iceberg.aws.s3.VendedCredentialsProvider.create(soon)
    try:
        renewed = provider.resolveCredentials()
        # The session is kept for half of its life, so that a renewal is the same one meanwhile.
        assert renewed.accessKeyId() == old["s3.access-key-id"]
        assert renewed.expirationTime().get().toEpochMilli() == int(
            old["s3.session-token-expires-at-ms"]
        )
    finally:
        provider.close()


def test_duckdb_works_with_lent_credentials():
    extensions = Path(duckdb_ext.__path__[0]) / "extensions"
    config = {"extension_directory": str(extensions), "autoinstall_known_extensions": "false"}
    with duckdb.connect(config=config) as connection:
        for extension in ("avro", "httpfs", "iceberg"):
            connection.execute(f"LOAD {extension}")
        text = configured(block(GUARDED, "DuckDB", "sql"), LENT, given("DELEGATING_KEY"))
        for statement in text.split(";"):
            if statement.strip():
                connection.execute(statement)
        connection.execute("CREATE SCHEMA firn.duck")
        connection.execute("CREATE TABLE firn.duck.t (depth BIGINT, site VARCHAR)")
        connection.execute("INSERT INTO firn.duck.t VALUES (1, 'x'), (2, 'y'), (3, 'z')")
        connection.execute("DELETE FROM firn.duck.t WHERE depth = 2")
        connection.execute("UPDATE firn.duck.t SET site = 'w' WHERE depth = 3")
        connection.execute("CREATE TABLE firn.duck.copy AS SELECT * FROM firn.duck.t")
        rows = connection.execute("SELECT * FROM firn.duck.copy ORDER BY depth").fetchall()
        assert rows == [(1, "x"), (3, "w")]
        secrets = connection.execute("SELECT scope FROM duckdb_secrets() WHERE type = 's3'")
        scopes = [scope for (each,) in secrets.fetchall() for scope in each]
        assert scopes and all("/duck/" in scope for scope in scopes)


def test_spark_works_with_signed_requests(signed_spark):
    write_and_read(signed_spark, SIGNED)
    audited(SIGNED, lambda entry: entry["operation"].endswith("sign") and entry["decision"] == "allowed")


def test_s3_file_io_works_with_signed_requests(spark, signed_spark):
    """What Java does with files that Spark's statements do not: parts, ranges, lists."""
    table = table_of(spark, f"{SIGNED}.spark.t")
    java, io = spark._jvm, table.io()
    properties = dict(io.properties())
    assert "s3.access-key-id" not in properties
    assert properties["s3.remote-signing-enabled"] == "true"
    files = java.org.apache.iceberg.aws.s3.S3FileIO()
    files.initialize(io.properties())
    try:
        base = f"{table.location()}/data/parts"
        content = bytes(range(256)) * (2 * PART_BYTES // 256) + b"the end"
        out = files.newOutputFile(f"{base}/large").createOrOverwrite()
        out.write(content)
        out.close()
        large = files.newInputFile(f"{base}/large")
        assert large.getLength() == len(content)
        stream = large.newStream()
        stream.seek(len(content) - 7)
        assert bytes(stream.readAllBytes()) == b"the end"
        stream.close()
        small = files.newOutputFile(f"{base}/a b&c").create()
        small.write(b"x")
        small.close()
        listed = files.listPrefix(f"{base}/").iterator()
        found = []
        while listed.hasNext():
            found.append(listed.next().location())
        assert sorted(found) == [f"{base}/a b&c", f"{base}/large"]
        files.deleteFiles(java.java.util.ArrayList(found))
        assert [files.newInputFile(each).exists() for each in found] == [False, False]
    finally:
        files.close()


def test_nothing_is_signed_beyond_what_the_caller_may_do_with_a_file(
    s3_spark, signed_spark, spark
):
    signed_spark(f"CREATE TABLE {SIGNED}.spark.other (depth bigint) USING iceberg")
    other = table_of(spark, f"{SIGNED}.spark.other").location()
    mine = table_of(spark, f"{SIGNED}.spark.t")
    # The signer of one table signs for the files of each, whose own grants count.
    for path in (f"{other}/metadata/9.metadata.json", f"{mine.location()}-beside/data/x"):
        with pytest.raises(Exception, match=REFUSED):
            mine.io().newOutputFile(path).createOrOverwrite().close()
    mine.io().newOutputFile(f"{other}/data/x").createOrOverwrite().close()
    run = s3_spark("signedreader", SIGNED, reader_of(SIGNED))
    assert run("SELECT count(*) FROM signedreader.spark.t") == [[3]]
    theirs = table_of(spark, "signedreader.spark.t")
    with pytest.raises(Exception, match=REFUSED):
        theirs.io().newInputFile(f"{other}/data/x").newStream().read()
    with pytest.raises(Exception, match=REFUSED):
        run("INSERT INTO signedreader.spark.t VALUES (9, 'x')")
    assert signed_spark(f"SELECT count(*) FROM {SIGNED}.spark.t") == [[3]]
