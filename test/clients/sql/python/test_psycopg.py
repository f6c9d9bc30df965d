"""psycopg 3: a session of an application, as its documentation shows it."""

import datetime as dt
import decimal
import threading
import time
import uuid

import psycopg
import pytest
from psycopg import sql
from psycopg.rows import dict_row
from psycopg.types.composite import CompositeInfo, register_composite
from psycopg.types.json import Jsonb

KINDS = """CREATE TABLE psycopg_kinds (
    id int8 PRIMARY KEY, small int2, flag bool, ratio float8, price numeric(30, 10), word text,
    code varchar(8), raw bytea, day date, at timestamptz, plain timestamp, span interval, doc jsonb,
    key uuid, ints int8[], words text[])"""
ORDERS = """CREATE TABLE psycopg_orders (
    id int PRIMARY KEY, email text NOT NULL CONSTRAINT psycopg_orders_email_key UNIQUE,
    qty int CONSTRAINT psycopg_orders_qty CHECK (qty > 0))"""
ZONE = dt.timezone(dt.timedelta(hours=2))
VALUES = (
    9007199254740993,
    -32768,
    True,
    0.1,
    decimal.Decimal("12345678901234567890.0123456789"),
    "größer 🦀",
    "code",
    b"\x00\x01\xfe\xff",
    dt.date(2026, 2, 3),
    dt.datetime(2026, 2, 3, 4, 5, 6, 789012, tzinfo=ZONE),
    dt.datetime(2026, 2, 3, 4, 5, 6, 789012),
    dt.timedelta(days=3, seconds=4, microseconds=5),
    {"a": [1, None, "x"], "b": {"c": 9007199254740993}},
    uuid.UUID("6f9619ff-8b86-d011-b42d-00c04fc964ff"),
    [9223372036854775807, None, -1],
    ["plain", 'with "quotes", commas', None, ""],
)


@pytest.fixture(scope="module")
def connection():
    with psycopg.connect(autocommit=True) as made:
        made.execute(KINDS)
        made.execute(ORDERS)
        yield made


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
def test_values_of_all_types(connection, binary):
    given = [Jsonb(v) if isinstance(v, dict) else v for v in VALUES]
    given[0] += binary
    marks = ", ".join(["%b" if binary else "%t"] * len(given))
    with connection.cursor(binary=binary) as cursor:
        cursor.execute(f"INSERT INTO psycopg_kinds VALUES ({marks}) RETURNING *", given)
        row = cursor.fetchone()
        assert row == (VALUES[0] + binary, *VALUES[1:])
        cursor.execute("SELECT * FROM psycopg_kinds WHERE id = %s", [given[0]])
        assert cursor.fetchone() == row


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
def test_nulls(connection, binary):
    nulls = [None] * (len(VALUES) - 1)
    marks = ", ".join(["%s"] * len(VALUES))
    with connection.cursor(binary=binary) as cursor:
        cursor.execute(f"INSERT INTO psycopg_kinds VALUES ({marks}) RETURNING *", [int(binary), *nulls])
        assert cursor.fetchone()[1:] == tuple(nulls)


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
def test_edges_of_types(connection, binary):
    question = """SELECT 'NaN'::numeric, 'NaN'::float8, '-Infinity'::float8, '9999-12-31'::date,
        '0001-01-01 00:00:00'::timestamp, '-9223372036854775808'::int8, '{}'::int4[],
        '{{1,2},{3,NULL}}'::int4[], ''::bytea, '1e-10'::numeric, 1e20::numeric, 'null'::jsonb,
        '24:00'::interval, '23:59:59.999999'::time"""
    with connection.cursor(binary=binary) as cursor:
        nan, float_nan, *others = cursor.execute(question).fetchone()
    assert nan.is_nan() and float_nan != float_nan
    assert others == [
        float("-inf"),
        dt.date(9999, 12, 31),
        dt.datetime(1, 1, 1),
        -(2**63),
        [],
        [[1, 2], [3, None]],
        b"",
        decimal.Decimal("1e-10"),
        decimal.Decimal(10**20),
        None,
        dt.timedelta(days=1),
        dt.time(23, 59, 59, 999999),
    ]


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
def test_values_of_a_composite_type(connection, binary):
    name = f"psycopg_part_{binary}".lower()
    connection.execute(f"CREATE TYPE {name} AS (code text, n int, spans int[])")
    connection.execute(f"CREATE TABLE {name}s (id int PRIMARY KEY, part {name}, parts {name}[])")
    with connection.cursor(binary=binary) as cursor:
        info = CompositeInfo.fetch(connection, name)
        assert list(info.field_names) == ["code", "n", "spans"]
        register_composite(info, cursor)
        Part = info.python_type
        part = Part('a "b", (c)\\', -7, [1, None])
        mark = "%b" if binary else "%t"
        query = f"INSERT INTO {name}s VALUES (1, {mark}, {mark}) RETURNING part, parts"
        row = (part, [part, None, Part(None, None, None)])
        assert cursor.execute(query, row).fetchone() == row
        query = f"UPDATE {name}s SET part.n = {mark} RETURNING part, (part).n"
        assert cursor.execute(query, [8]).fetchone() == (Part(part.code, 8, [1, None]), 8)


def test_prepared_statement(connection):
    for number in range(10):
        cursor = connection.execute("SELECT %s::int + 1, %s", [number, "x"], prepare=True)
        assert cursor.fetchone() == (number + 1, "x")


def test_prepared_statement_survives_a_change_of_its_table(connection):
    connection.execute("CREATE TABLE psycopg_changed (id int PRIMARY KEY)")
    connection.execute("INSERT INTO psycopg_changed VALUES (1)")
    query = "SELECT id FROM psycopg_changed WHERE id = %s"
    assert connection.execute(query, [1], prepare=True).fetchall() == [(1,)]
    connection.execute("ALTER TABLE psycopg_changed ADD COLUMN word text DEFAULT 'x'")
    assert connection.execute(query, [1], prepare=True).fetchall() == [(1,)]


def test_many_rows_and_columns(connection):
    with connection.cursor(row_factory=dict_row) as cursor:
        cursor.execute("SELECT g AS n, g::text AS t FROM generate_series(1, 20000) AS g")
        rows = cursor.fetchall()
        assert len(rows) == 20_000 and rows[-1] == {"n": 20_000, "t": "20000"}
        assert [(c.name, c.type_code) for c in cursor.description] == [("n", 23), ("t", 25)]


def test_executemany_and_its_rows(connection):
    connection.execute("CREATE TABLE psycopg_many (id int PRIMARY KEY, word text)")
    with connection.cursor() as cursor:
        rows = [(i, f"w{i}") for i in range(1_000)]
        cursor.executemany("INSERT INTO psycopg_many VALUES (%s, %s)", rows)
        assert cursor.rowcount == 1_000
        many = "UPDATE psycopg_many SET word = 'u' WHERE id = %s RETURNING id"
        cursor.executemany(many, [(1,), (2,)], returning=True)
        assert cursor.fetchone() == (1,) and cursor.nextset() and cursor.fetchone() == (2,)


def test_pipeline(connection):
    with connection.pipeline() as pipeline:
        cursors = [connection.execute("SELECT %s::int * 2", [i]) for i in range(100)]
        pipeline.sync()
        assert [c.fetchone()[0] for c in cursors] == [i * 2 for i in range(100)]
    with pytest.raises(psycopg.errors.DivisionByZero), connection.pipeline():
        connection.execute("SELECT 1")
        connection.execute("SELECT 1 / 0")
        connection.execute("SELECT 2")
    assert connection.execute("SELECT 3").fetchone() == (3,)


def test_transaction_with_savepoints(connection):
    with connection.transaction():
        connection.execute("INSERT INTO psycopg_orders VALUES (1, 'a@x', 1)")
        with pytest.raises(psycopg.errors.UniqueViolation), connection.transaction():
            connection.execute("INSERT INTO psycopg_orders VALUES (1, 'b@x', 1)")
        connection.execute("INSERT INTO psycopg_orders VALUES (2, 'b@x', 2)")
    with connection.transaction(force_rollback=True):
        connection.execute("DELETE FROM psycopg_orders")
    assert connection.execute("SELECT count(*) FROM psycopg_orders").fetchone() == (2,)


def test_fields_of_errors(connection):
    with pytest.raises(psycopg.errors.UniqueViolation) as unique:
        connection.execute("INSERT INTO psycopg_orders VALUES (3, 'a@x', 1)")
    told = unique.value.diag
    assert (told.sqlstate, told.schema_name, told.table_name, told.constraint_name) == (
        "23505",
        "public",
        "psycopg_orders",
        "psycopg_orders_email_key",
    )
    assert told.message_detail == "Key (email)=(a@x) already exists."
    with pytest.raises(psycopg.errors.NotNullViolation) as missing:
        connection.execute("INSERT INTO psycopg_orders (id) VALUES (3)")
    told = missing.value.diag
    assert (told.schema_name, told.table_name, told.column_name) == (
        "public",
        "psycopg_orders",
        "email",
    )
    assert told.message_detail == "Failing row contains (3, null, null)."
    with pytest.raises(psycopg.errors.CheckViolation) as checked:
        connection.execute("INSERT INTO psycopg_orders VALUES (3, 'c@x', 0)")
    assert checked.value.diag.constraint_name == "psycopg_orders_qty"
    assert checked.value.diag.message_detail == "Failing row contains (3, c@x, 0)."
    with pytest.raises(psycopg.errors.UndefinedTable) as unknown:
        connection.execute("SELECT * FROM psycopg_nothing")
    assert unknown.value.diag.statement_position == "15"


def test_copy_in_and_out(connection):
    connection.execute("CREATE TABLE psycopg_copy (id int PRIMARY KEY, word text, at timestamptz)")
    at = dt.datetime(2026, 1, 1, tzinfo=dt.timezone.utc)
    with connection.cursor() as cursor:
        with cursor.copy("COPY psycopg_copy FROM STDIN") as copy:
            for i in range(3_000):
                copy.write_row((i, None if i % 7 == 0 else f"tab\t{i}\n", at))
        with cursor.copy("COPY psycopg_copy (id, word, at) FROM STDIN (FORMAT BINARY)") as copy:
            copy.set_types(["int4", "text", "timestamptz"])
            for i in range(3_000, 4_000):
                copy.write_row((i, "b", at))
        with cursor.copy("COPY psycopg_copy TO STDOUT (FORMAT BINARY)") as copy:
            copy.set_types(["int4", "text", "timestamptz"])
            rows = sorted(copy.rows())
        assert len(rows) == 4_000
        assert rows[7] == (7, None, at) and rows[8] == (8, "tab\t8\n", at)
        with cursor.copy("COPY (SELECT id, word FROM psycopg_copy WHERE id = 1) TO STDOUT") as copy:
            assert b"".join(copy) == b"1\ttab\\t1\\n\n"
        with cursor.copy("COPY psycopg_copy TO STDOUT (FORMAT CSV, HEADER)") as copy:
            assert b"".join(copy).startswith(b"id,word,at")


def test_a_copy_that_is_left_early_is_cancelled(connection):
    endless = "COPY (SELECT g FROM generate_series(1, 10000000000::int8) AS g) TO STDOUT"
    with pytest.raises(RuntimeError), connection.cursor().copy(endless) as copy:
        copy.read_row()
        raise RuntimeError("the program changed its mind")
    assert connection.execute("SELECT 1").fetchone() == (1,)


def test_a_copy_that_fails_leaves_nothing(connection):
    count = connection.execute("SELECT count(*) FROM psycopg_copy").fetchone()
    with pytest.raises(RuntimeError), connection.cursor().copy(
        "COPY psycopg_copy FROM STDIN"
    ) as copy:
        copy.write_row((9_000, "x", None))
        raise RuntimeError("the program changed its mind")
    with pytest.raises(psycopg.errors.UniqueViolation), connection.cursor().copy(
        "COPY psycopg_copy FROM STDIN"
    ) as copy:
        copy.write_row((9_001, "x", None))
        copy.write_row((1, "x", None))
    assert connection.execute("SELECT count(*) FROM psycopg_copy").fetchone() == count


def test_cursors(connection):
    with connection.transaction(), connection.cursor("of_server", binary=True) as cursor:
        cursor.itersize = 100
        cursor.execute("SELECT id FROM psycopg_copy ORDER BY id LIMIT 250")
        assert [row[0] for row in cursor] == list(range(250))
    streamed = connection.cursor().stream("SELECT g FROM generate_series(1, 1000) AS g")
    assert sum(row[0] for row in streamed) == 500_500


def test_cancel(connection):
    done = threading.Event()

    def keep_cancelling():
        # A cancel that comes before the statement ends nothing.
        while not done.wait(0.3):
            connection.cancel_safe()

    canceller = threading.Thread(target=keep_cancelling)
    canceller.start()
    try:
        with pytest.raises(psycopg.errors.QueryCanceled):
            connection.execute("SELECT count(*) FROM generate_series(1, 10000000000::int8)")
    finally:
        done.set()
        canceller.join()
    assert connection.execute("SELECT 1").fetchone() == (1,)


def test_statement_timeout(connection):
    connection.execute("SET statement_timeout = '200ms'")
    with pytest.raises(psycopg.errors.QueryCanceled):
        connection.execute("SELECT count(*) FROM generate_series(1, 10000000000::int8)")
    connection.execute("RESET statement_timeout")


def test_notices_and_identifiers(connection):
    notices = []
    connection.add_notice_handler(lambda told: notices.append((told.severity, told.sqlstate)))
    name = sql.Identifier('odd "name"; DROP TABLE')
    connection.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(name))
    connection.execute(sql.SQL("CREATE TABLE {} (id int PRIMARY KEY)").format(name))
    assert notices == [("NOTICE", "00000")]


def test_two_phase_and_session(connection):
    info = connection.info
    assert info.server_version // 10_000 == 15
    assert info.parameter_status("standard_conforming_strings") == "on"
    assert info.transaction_status == psycopg.pq.TransactionStatus.IDLE
    connection.execute("SET TimeZone = 'Asia/Tokyo'")
    assert info.timezone.key == "Asia/Tokyo"
    assert connection.execute("SELECT '2026-01-01 00:00Z'::timestamptz::text").fetchone() == (
        "2026-01-01 09:00:00+09",
    )
    connection.execute("RESET TimeZone")


def test_isolation_levels(connection):
    with psycopg.connect() as other:
        other.isolation_level = psycopg.IsolationLevel.SERIALIZABLE
        assert other.execute("SHOW transaction_isolation").fetchone() == ("serializable",)
        other.rollback()
        other.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
        assert other.execute("SHOW transaction_isolation").fetchone() == ("read committed",)
        other.rollback()
        other.read_only = True
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            other.execute("DELETE FROM psycopg_orders")


def test_time_of_a_transaction_stands(connection):
    with connection.transaction():
        first = connection.execute("SELECT now()").fetchone()
        time.sleep(0.01)
        assert connection.execute("SELECT now()").fetchone() == first
