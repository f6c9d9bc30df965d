"""DuckDB and Spark: each writes what it can, and the other reads it."""

import pytest


def test_duckdb_writes_and_travels_in_time(duck):
    duck.execute("CREATE SCHEMA firn.duck")
    try:
        duck.execute("CREATE TABLE firn.duck.cores (depth BIGINT, name VARCHAR)")
        values = "(1, 'a'), (2, 'b'), (9007199254740993, 'c')"
        duck.execute(f"INSERT INTO firn.duck.cores VALUES {values}")
        rows = "SELECT depth, name FROM firn.duck.cores ORDER BY depth"
        assert duck.execute(rows).fetchall() == [(1, "a"), (2, "b"), (9007199254740993, "c")]
        duck.execute("UPDATE firn.duck.cores SET name = 'z' WHERE depth = 1")
        duck.execute("DELETE FROM firn.duck.cores WHERE depth = 2")
        assert duck.execute(rows).fetchall() == [(1, "z"), (9007199254740993, "c")]
        snapshots = duck.execute(
            "SELECT snapshot_id FROM iceberg_snapshots(firn.duck.cores) ORDER BY sequence_number"
        ).fetchall()
        assert len(snapshots) == 3
        (first,) = snapshots[0]
        before = duck.execute(f"SELECT count(*) FROM firn.duck.cores AT (VERSION => {first})")
        assert before.fetchall() == [(3,)]
        with pytest.raises(Exception, match="(?i)already exists"):
            duck.execute("CREATE TABLE firn.duck.cores (other BIGINT)")
        # One transaction, two tables: all or nothing.
        duck.execute("CREATE TABLE firn.duck.log (entry VARCHAR)")
        duck.execute("BEGIN")
        duck.execute("INSERT INTO firn.duck.cores VALUES (4, 'd')")
        duck.execute("INSERT INTO firn.duck.log VALUES ('four')")
        duck.execute("COMMIT")
        assert duck.execute("SELECT count(*) FROM firn.duck.cores").fetchall() == [(3,)]
        assert duck.execute("SELECT * FROM firn.duck.log").fetchall() == [("four",)]
    finally:
        for table in ("cores", "log"):
            duck.execute(f"DROP TABLE IF EXISTS firn.duck.{table}")
        duck.execute("DROP SCHEMA firn.duck")


def test_spark_writes_and_duckdb_reads(spark, duck):
    def rows(query: str) -> list[tuple]:
        return [tuple(row) for row in spark.sql(query).collect()]

    spark.sql("CREATE NAMESPACE firn.spark")
    try:
        spark.sql("CREATE TABLE firn.spark.cores (depth bigint, name string) USING iceberg")
        spark.sql("INSERT INTO firn.spark.cores VALUES (1, 'a'), (2, 'b')")
        spark.sql("DELETE FROM firn.spark.cores WHERE depth = 2")
        assert rows("SELECT * FROM firn.spark.cores") == [(1, "a")]
        snapshots = "firn.spark.cores.snapshots ORDER BY committed_at"
        ((first,), _) = rows(f"SELECT snapshot_id FROM {snapshots}")
        past = f"SELECT depth FROM firn.spark.cores VERSION AS OF {first} ORDER BY depth"
        assert rows(past) == [(1,), (2,)]
        spark.sql("ALTER TABLE firn.spark.cores RENAME COLUMN name TO label")
        assert duck.execute("SELECT depth, label FROM firn.spark.cores").fetchall() == [(1, "a")]
        spark.sql("CREATE VIEW firn.spark.deep AS SELECT depth FROM firn.spark.cores")
        assert rows("SELECT * FROM firn.spark.deep") == [(1,)]
        assert rows("SHOW VIEWS IN firn.spark")[0][:2] == ("spark", "deep")
    finally:
        spark.sql("DROP VIEW IF EXISTS firn.spark.deep")
        spark.sql("DROP TABLE IF EXISTS firn.spark.cores")
        spark.sql("DROP NAMESPACE firn.spark")
