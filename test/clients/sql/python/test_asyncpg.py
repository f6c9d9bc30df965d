"""asyncpg: everything in the binary format, every statement prepared."""

import asyncio
import datetime as dt
import decimal
import io
import json
import uuid

import asyncpg
import pytest

KINDS = """CREATE TABLE asyncpg_kinds (
    id int8 PRIMARY KEY, small int2, flag bool, ratio float8, price numeric(30, 10), word text,
    code varchar(8), raw bytea, day date, at timestamptz, plain timestamp, span interval, doc jsonb,
    key uuid, ints int8[], words text[])"""
ORDERS = """CREATE TABLE asyncpg_orders (
    id int PRIMARY KEY, email text NOT NULL CONSTRAINT asyncpg_orders_email_key UNIQUE,
    qty int CONSTRAINT asyncpg_orders_qty CHECK (qty > 0))"""
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
def loop():
    made = asyncio.new_event_loop()
    yield made
    made.close()


@pytest.fixture(scope="module")
def connection(loop):
    async def connect():
        made = await asyncpg.connect()
        await made.set_type_codec(
            "jsonb", encoder=json.dumps, decoder=json.loads, schema="pg_catalog"
        )
        await made.execute(KINDS)
        await made.execute(ORDERS)
        return made

    made = loop.run_until_complete(connect())
    yield made
    loop.run_until_complete(made.close())


def run(test):
    """A test that is a coroutine of the connection."""

    def runs(loop, connection):
        loop.run_until_complete(asyncio.wait_for(test(connection), 120))

    runs.__name__ = test.__name__
    return runs


@run
async def test_values_of_all_types(connection):
    marks = ", ".join(f"${i + 1}" for i in range(len(VALUES)))
    row = await connection.fetchrow(
        f"INSERT INTO asyncpg_kinds VALUES ({marks}) RETURNING *", *VALUES
    )
    assert tuple(row) == VALUES
    nulls = [None] * (len(VALUES) - 1)
    row = await connection.fetchrow(
        f"INSERT INTO asyncpg_kinds VALUES ({marks}) RETURNING *", 1, *nulls
    )
    assert list(row)[1:] == nulls


@run
async def test_edges_of_types(connection):
    row = await connection.fetchrow(
        """SELECT 'Infinity'::float8, '9999-12-31'::date, '-9223372036854775808'::int8,
            '{}'::int4[], '{{1,2},{3,NULL}}'::int4[], ''::bytea, 1e-10::numeric, 1e20::numeric,
            '23:59:59.999999'::time, 'infinity'::timestamptz, 'name'::name, '5'::oid,
            'c'::"char", 'x'::char(3)"""
    )
    assert list(row) == [
        float("inf"),
        dt.date(9999, 12, 31),
        -(2**63),
        [],
        [[1, 2], [3, None]],
        b"",
        decimal.Decimal("1e-10"),
        decimal.Decimal(10**20),
        dt.time(23, 59, 59, 999999),
        dt.datetime.max,
        "name",
        5,
        b"c",
        "x  ",
    ]


@run
async def test_aggregated_array(connection):
    assert await connection.fetchval("SELECT array_agg(g) FROM generate_series(1, 3) AS g") == [
        1,
        2,
        3,
    ]


@run
async def test_prepared_statement(connection):
    statement = await connection.prepare("SELECT $1::int4 + 1 AS n, $2::text AS t")
    assert [p.name for p in statement.get_parameters()] == ["int4", "text"]
    assert [(a.name, a.type.name) for a in statement.get_attributes()] == [
        ("n", "int4"),
        ("t", "text"),
    ]
    for number in range(10):
        assert tuple(await statement.fetchrow(number, "x")) == (number + 1, "x")
    await statement.fetch(1, "x")
    assert statement.get_statusmsg() == "SELECT 1"


@run
async def test_executemany_is_one_pipeline(connection):
    await connection.execute("CREATE TABLE asyncpg_many (id int PRIMARY KEY, word text)")
    rows = [(i, f"w{i}") for i in range(1_000)]
    await connection.executemany("INSERT INTO asyncpg_many VALUES ($1, $2)", rows)
    with pytest.raises(asyncpg.UniqueViolationError):
        await connection.executemany(
            "INSERT INTO asyncpg_many VALUES ($1, $2)", [(5_000, "x"), (1, "x"), (5_001, "x")]
        )
    # All of it is one transaction.
    assert await connection.fetchval("SELECT count(*) FROM asyncpg_many") == 1_000
    taken = await connection.fetch("SELECT * FROM asyncpg_many WHERE id = ANY($1)", [3, 5])
    assert [tuple(row) for row in taken] == [(3, "w3"), (5, "w5")]


@run
async def test_transaction_with_savepoints(connection):
    async with connection.transaction(isolation="serializable"):
        await connection.execute("INSERT INTO asyncpg_orders VALUES (1, 'a@x', 1)")
        with pytest.raises(asyncpg.UniqueViolationError):
            async with connection.transaction():
                await connection.execute("INSERT INTO asyncpg_orders VALUES (1, 'b@x', 1)")
        await connection.execute("INSERT INTO asyncpg_orders VALUES (2, 'b@x', 2)")
    transaction = connection.transaction()
    await transaction.start()
    await connection.execute("DELETE FROM asyncpg_orders")
    await transaction.rollback()
    assert await connection.fetchval("SELECT count(*) FROM asyncpg_orders") == 2


@run
async def test_fields_of_errors(connection):
    with pytest.raises(asyncpg.UniqueViolationError) as unique:
        await connection.execute("INSERT INTO asyncpg_orders VALUES (3, 'a@x', 1)")
    told = unique.value
    assert (told.sqlstate, told.schema_name, told.table_name, told.constraint_name) == (
        "23505",
        "public",
        "asyncpg_orders",
        "asyncpg_orders_email_key",
    )
    assert told.detail == "Key (email)=(a@x) already exists."
    with pytest.raises(asyncpg.NotNullViolationError) as missing:
        await connection.execute("INSERT INTO asyncpg_orders (id) VALUES ($1)", 3)
    assert missing.value.column_name == "email"
    with pytest.raises(asyncpg.CheckViolationError) as checked:
        await connection.execute("INSERT INTO asyncpg_orders VALUES (3, 'c@x', 0)")
    assert checked.value.constraint_name == "asyncpg_orders_qty"
    with pytest.raises(asyncpg.UndefinedTableError) as unknown:
        await connection.fetch("SELECT * FROM asyncpg_nothing")
    assert unknown.value.position == "15"
    with pytest.raises(asyncpg.UndefinedColumnError):
        await connection.fetch('SELECT "click" FROM asyncpg_orders')


@run
async def test_copy_in_and_out(connection):
    await connection.execute("CREATE TABLE asyncpg_copy (id int PRIMARY KEY, word text, doc jsonb)")
    rows = [(i, None if i % 7 == 0 else f"w{i}") for i in range(3_000)]
    # Rows go as binary.
    status = await connection.copy_records_to_table(
        "asyncpg_copy", records=rows, columns=["id", "word"]
    )
    assert status == "COPY 3000"
    lines = io.BytesIO(b"3000,x\n3001,y\n")
    await connection.copy_to_table(
        "asyncpg_copy", source=lines, columns=["id", "word"], format="csv"
    )
    out = io.BytesIO()
    await connection.copy_from_query(
        "SELECT id, word FROM asyncpg_copy WHERE id >= $1 ORDER BY id", 2_999, output=out
    )
    assert out.getvalue() == b"2999\tw2999\n3000\tx\n3001\ty\n"
    out = io.BytesIO()
    await connection.copy_from_table("asyncpg_copy", output=out, format="csv", header=True)
    assert out.getvalue().count(b"\n") == 3_003
    with pytest.raises(asyncpg.UniqueViolationError):
        await connection.copy_records_to_table(
            "asyncpg_copy", records=[(9_000, "x"), (1, "x")], columns=["id", "word"]
        )
    assert await connection.fetchval("SELECT count(*) FROM asyncpg_copy") == 3_002


@run
async def test_cursor(connection):
    async with connection.transaction():
        cursor = await connection.cursor("SELECT id FROM asyncpg_copy ORDER BY id")
        assert [row["id"] for row in await cursor.fetch(3)] == [0, 1, 2]
        await cursor.forward(10)
        assert (await cursor.fetchrow())["id"] == 13
        read = [row["id"] async for row in connection.cursor("SELECT 7 AS id", prefetch=5)]
        assert read == [7]


@run
async def test_cancel(connection):
    # asyncpg cancels a statement on a connection that it makes for it, and waits for its end.
    with pytest.raises(asyncio.TimeoutError):
        await connection.fetch(
            "SELECT count(*) FROM generate_series(1, 10000000000::int8)", timeout=0.5
        )
    assert await connection.fetchval("SELECT 1") == 1


@run
async def test_schema_of_types_is_found(connection):
    # What has no codec is looked up in pg_type, with a recursive query.
    await connection.reload_schema_state()
    assert await connection.fetchval("SELECT '{a,b}'::name[]") == ["a", "b"]
    assert await connection.fetchval("SELECT 'pg_type'::regclass::text") == "pg_type"


@run
async def test_values_of_a_composite_type(connection):
    await connection.execute("CREATE TYPE asyncpg_part AS (code text, n int)")
    await connection.execute("CREATE TABLE asyncpg_parts (id int PRIMARY KEY, part asyncpg_part)")
    query = "INSERT INTO asyncpg_parts VALUES (1, $1) RETURNING part, ARRAY[part, NULL] AS parts"
    row = await connection.fetchrow(query, ('a "b"', None))
    assert dict(row["part"]) == {"code": 'a "b"', "n": None}
    assert [each and tuple(each) for each in row["parts"]] == [('a "b"', None), None]


@run
async def test_settings_and_notices(connection):
    settings = connection.get_settings()
    assert settings.server_encoding == "UTF8"
    assert connection.get_server_version()[0] == 15
    notices = []
    connection.add_log_listener(lambda _connection, told: notices.append(told.sqlstate))
    await connection.execute("DROP TABLE IF EXISTS asyncpg_nothing")
    await asyncio.sleep(0)
    assert notices == ["00000"]
    await connection.reset()


@run
async def test_pool(connection):
    async with asyncpg.create_pool(min_size=4, max_size=4) as pool:
        add = "UPDATE asyncpg_orders SET qty = qty + 1 WHERE id = 1"
        await asyncio.gather(*(pool.execute(add) for _ in range(40)))
    assert await connection.fetchval("SELECT qty FROM asyncpg_orders WHERE id = 1") == 41
