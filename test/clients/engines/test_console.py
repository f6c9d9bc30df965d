"""The console over a table that Spark wrote: each page says what Spark says of it."""

import json
import os
import subprocess
from pathlib import Path

from conftest import installed
from snippets import URL

NODE = os.environ.get("FIRN_TEST_NODE", "node")
PAGES = Path(__file__).parent / "console-pages.ts"
TABLE = "/c/default/sparkle/t/cores"


def told(pages: dict[str, str]) -> dict[str, str]:
    """What the pages of the table say, once a text is seen on each."""
    asked = [f"{TABLE}{path}={text}" for path, text in pages.items()]
    command = [NODE, str(PAGES), URL.removesuffix("/iceberg"), *asked]
    run = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert run.returncode == 0, run.stderr
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    assert [answer["complaints"] for answer in answers] == [[]] * len(pages)
    return {path: answer["text"] for path, answer in zip(pages, answers, strict=True)}


def test_pages_of_a_table_that_spark_wrote(spark):
    installed("FIRN_TEST_CHROMIUM")
    spark.sql("CREATE NAMESPACE firn.sparkle")
    try:
        spark.sql(
            "CREATE TABLE firn.sparkle.cores (depth bigint, name string, taken date) USING iceberg "
            "PARTITIONED BY (months(taken)) TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')"
        )
        table = "firn.sparkle.cores"
        spark.sql(
            f"INSERT INTO {table} VALUES (9007199254740993, 'a', DATE '2024-01-02'), "
            "(2, 'b', DATE '2024-01-03'), (3, 'c', DATE '2024-02-04')"
        )
        spark.sql(f"INSERT INTO {table} VALUES (4, NULL, DATE '2024-02-05')")
        spark.sql(f"DELETE FROM {table} WHERE depth = 2")
        spark.sql(f"ALTER TABLE {table} RENAME COLUMN name TO label")
        spark.sql(f"ALTER TABLE {table} CREATE TAG first AS OF VERSION " + str(
            spark.sql(f"SELECT snapshot_id FROM {table}.snapshots ORDER BY committed_at").first()[0]
        ))
        pages = told(
            {
                "": "Overview",
                "/schema": "taken",
                "/history": "append",
                "/files": "Show the figures",
                "/stats": "9007199254740993",
            }
        )
        (files, rows) = spark.sql(
            f"SELECT count(*), sum(record_count) FROM {table}.data_files"
        ).first()
        assert (files, rows) == (3, 4)
        assert f"{files} Data files" in pages["/files"]
        assert "taken_month=2024-01" in pages["/files"]
        assert "taken_month=2024-02" in pages["/files"]
        assert "changed 2 name string label string" in pages["/schema"]
        for snapshot in spark.sql(f"SELECT operation FROM {table}.snapshots").collect():
            assert snapshot.operation in pages["/history"]
    finally:
        spark.sql("DROP TABLE IF EXISTS firn.sparkle.cores")
        spark.sql("DROP NAMESPACE firn.sparkle")
