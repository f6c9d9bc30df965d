"""A session of Trino: everything that it can do with tables and views of a REST catalog."""

import pytest

CORES = "firn.trino.cores"
ALL = f"SELECT depth, name FROM {CORES} ORDER BY depth"


@pytest.fixture(scope="module", autouse=True)
def schema(trino):
    trino("CREATE SCHEMA firn.trino")
    yield
    trino("DROP SCHEMA firn.trino CASCADE")
    assert ["trino"] not in trino("SHOW SCHEMAS FROM firn")


def test_a_schema_says_where_its_tables_go(trino):
    ((shown,),) = trino("SHOW CREATE SCHEMA firn.trino")
    assert "location = 'file:///" in shown
    assert "/warehouse/trino'" in shown


def test_creates_writes_and_changes(trino, duck):
    columns = "depth BIGINT, name VARCHAR, at TIMESTAMP(6)"
    trino(f"CREATE TABLE {CORES} ({columns}) WITH (partitioning = ARRAY['bucket(name, 2)'])")
    when = "TIMESTAMP '2026-01-01 00:00:00'"
    values = f"(1, 'a', {when}), (2, 'b', NULL), (9007199254740993, 'c', NULL)"
    assert trino(f"INSERT INTO {CORES} VALUES {values}") == [[3]]
    assert trino(ALL) == [[1, "a"], [2, "b"], [9007199254740993, "c"]]
    deep = f"SELECT depth, name FROM {CORES} WHERE depth > 1"
    assert trino(f"CREATE TABLE firn.trino.deep AS {deep}") == [[2]]
    assert trino(f"UPDATE {CORES} SET name = 'z' WHERE depth = 1") == [[1]]
    assert trino(f"DELETE FROM {CORES} WHERE depth = 2") == [[1]]
    merged = trino(
        f"""MERGE INTO {CORES} c USING firn.trino.deep d ON c.depth = d.depth
        WHEN MATCHED THEN UPDATE SET name = 'merged'
        WHEN NOT MATCHED THEN INSERT (depth, name) VALUES (d.depth, 'new')"""
    )
    assert merged == [[2]]
    assert trino(ALL) == [[1, "z"], [2, "new"], [9007199254740993, "merged"]]
    rows = duck.execute(ALL).fetchall()
    assert rows == [(1, "z"), (2, "new"), (9007199254740993, "merged")]
    # A whole table again, under the name of another.
    trino("CREATE OR REPLACE TABLE firn.trino.deep AS SELECT 1 AS x")
    assert trino("SELECT * FROM firn.trino.deep") == [[1]]
    with pytest.raises(Exception, match="already exists"):
        trino("CREATE TABLE firn.trino.deep (other BIGINT)")


def test_travels_in_time_and_forgets(trino):
    snapshots = trino(
        f'SELECT snapshot_id, operation FROM "firn"."trino"."cores$snapshots" '
        "ORDER BY committed_at"
    )
    operations = [operation for _, operation in snapshots]
    assert operations == ["append", "append", "overwrite", "delete", "overwrite"]
    before = f"SELECT count(*) FROM {CORES} FOR VERSION AS OF {snapshots[1][0]}"
    assert trino(before) == [[3]]
    trino(f"ALTER TABLE {CORES} EXECUTE optimize")
    for procedure in ("expire_snapshots", "remove_orphan_files"):
        trino(f"SET SESSION firn.{procedure}_min_retention = '0s'")
        trino(f"ALTER TABLE {CORES} EXECUTE {procedure}(retention_threshold => '0s')")
    assert trino('SELECT count(*) FROM firn.trino."cores$snapshots"') == [[1]]
    with pytest.raises(Exception, match="(?i)snapshot"):
        trino(before)
    assert trino(ALL) == [[1, "z"], [2, "new"], [9007199254740993, "merged"]]


def test_evolves(trino):
    trino(f"ALTER TABLE {CORES} ADD COLUMN note VARCHAR")
    trino(f"ALTER TABLE {CORES} RENAME COLUMN name TO label")
    trino(f"ALTER TABLE {CORES} SET PROPERTIES partitioning = ARRAY['bucket(label, 4)']")
    trino(f"COMMENT ON TABLE {CORES} IS 'ice'")
    trino(f"INSERT INTO {CORES} (depth, label, note) VALUES (4, 'four', 'deep')")
    trino(f"ANALYZE {CORES}")
    distinct = {row[0]: row[2] for row in trino(f"SHOW STATS FOR {CORES}")}
    assert distinct["depth"] == 4
    ((shown,),) = trino(f"SHOW CREATE TABLE {CORES}")
    for part in ("COMMENT 'ice'", "note varchar", "'bucket(label, 4)'"):
        assert part in shown


def test_views(trino):
    trino(f"CREATE VIEW firn.trino.v AS SELECT depth FROM {CORES} WHERE depth < 3")
    assert trino("SELECT * FROM firn.trino.v ORDER BY 1") == [[1], [2]]
    trino(f"CREATE OR REPLACE VIEW firn.trino.v AS SELECT label FROM {CORES} WHERE depth = 4")
    trino("ALTER VIEW firn.trino.v RENAME TO firn.trino.w")
    assert trino("SELECT * FROM firn.trino.w") == [["four"]]
    trino("DROP VIEW firn.trino.w")
    assert ["w"] not in trino("SHOW TABLES FROM firn.trino")


def test_nested_schemas_renames_and_drops(trino):
    trino('CREATE SCHEMA firn."trino.nested"')
    trino('CREATE TABLE firn."trino.nested".t AS SELECT 1 AS x')
    assert trino('SELECT * FROM firn."trino.nested".t') == [[1]]
    with pytest.raises(Exception, match="non-empty"):
        trino("DROP SCHEMA firn.trino")
    trino('ALTER TABLE firn."trino.nested".t RENAME TO firn.trino.moved')
    assert trino("SELECT * FROM firn.trino.moved") == [[1]]
    trino("TRUNCATE TABLE firn.trino.moved")
    assert trino("SELECT count(*) FROM firn.trino.moved") == [[0]]
    trino("DROP TABLE firn.trino.moved")
    trino('DROP SCHEMA firn."trino.nested"')
    assert ["moved"] not in trino("SHOW TABLES FROM firn.trino")
