"""A session of Flink: batch and streaming, on one small cluster."""

import pytest

CORES = "SELECT * FROM cores ORDER BY depth"


@pytest.fixture(scope="module", autouse=True)
def database(flink):
    assert flink("SHOW CATALOGS") == ["default_catalog", "firn"]
    flink("CREATE DATABASE flink WITH ('owner' = 'ice')")
    for mode in ("", "stream "):
        flink(f"{mode}USE flink")
    yield
    for table in flink("SHOW TABLES"):
        flink(f"DROP TABLE {table}")
    for mode in ("", "stream "):
        flink(f"{mode}USE CATALOG default_catalog")
    flink("DROP DATABASE firn.flink")


def snapshots(flink, table: str) -> list[list[str]]:
    rows = flink(f"SELECT snapshot_id, operation FROM {table}$snapshots ORDER BY committed_at")
    return [row.split(", ") for row in rows]


def test_writes_in_batches_and_travels_in_time(flink):
    columns = "depth BIGINT, name STRING, region STRING"
    flink(f"CREATE TABLE cores ({columns}) PARTITIONED BY (region)")
    with pytest.raises(RuntimeError, match="already exists"):
        flink("CREATE TABLE cores (other BIGINT)")
    flink("INSERT INTO cores VALUES (1, 'a', 'n'), (2, 'b', 's'), (9007199254740993, 'c', 'n')")
    assert flink(CORES) == ["1, a, n", "2, b, s", "9007199254740993, c, n"]
    flink("INSERT OVERWRITE cores PARTITION (region = 's') SELECT 7, 'over'")
    assert flink(CORES) == ["1, a, n", "7, over, s", "9007199254740993, c, n"]
    (first, kind), (second, then) = snapshots(flink, "cores")
    assert [kind, then] == ["append", "overwrite"]
    past = "SELECT depth FROM cores /*+ OPTIONS('{}'='{}') */ ORDER BY depth"
    assert flink(past.format("snapshot-id", first)) == ["1", "2", "9007199254740993"]
    flink("tag flink cores season-1")
    flink("INSERT INTO cores VALUES (8, 'd', 'n')")
    assert flink(past.format("tag", "season-1")) == ["1", "7", "9007199254740993"]
    assert flink(past.format("branch", "main")) == ["1", "7", "8", "9007199254740993"]
    assert flink(past.format("start-snapshot-id", second)) == ["8"]


def test_metadata_tables(flink):
    assert flink("SELECT name, type FROM cores$refs ORDER BY name") == [
        "main, BRANCH",
        "season-1, TAG",
    ]
    assert flink("SELECT sum(record_count) FROM cores$files") == ["4"]
    assert flink("SELECT count(*) FROM cores$history") == ["3"]
    assert flink("SELECT count(*) FROM cores$manifests") != ["0"]
    regions = "SELECT `partition`.region FROM cores$partitions ORDER BY 1"
    assert flink(regions) == ["n", "s"]


def test_writes_in_a_stream_and_upserts(flink):
    sequence = "'fields.id.kind' = 'sequence', 'fields.id.start' = '1', 'fields.id.end' = '5'"
    flink(
        f"""stream CREATE TEMPORARY TABLE source (id BIGINT)
        WITH ('connector' = 'datagen', 'number-of-rows' = '5', {sequence})"""
    )
    flink("stream INSERT INTO cores SELECT id + 100, 'streamed', 'n' FROM source")
    flink("stream DROP TEMPORARY TABLE source")
    flink(
        """CREATE TABLE levels (id BIGINT, depth BIGINT, PRIMARY KEY (id) NOT ENFORCED)
        WITH ('format-version' = '2', 'write.upsert.enabled' = 'true')"""
    )
    flink("stream INSERT INTO levels VALUES (1, 10), (2, 20)")
    flink("stream INSERT INTO levels VALUES (1, 11), (3, 30)")
    assert flink("SELECT * FROM levels ORDER BY id") == ["1, 11", "2, 20", "3, 30"]
    assert flink("SELECT count(*) FROM cores WHERE name = 'streamed'") == ["5"]


def test_evolves_and_renames(flink):
    flink("ALTER TABLE cores SET ('owner' = 'ice')")
    flink("ALTER TABLE cores ADD note STRING")
    flink("ALTER TABLE cores RENAME TO samples")
    described = [row.split(", ")[:2] for row in flink("DESCRIBE samples")]
    assert ["note", "STRING"] in described
    assert "'owner' = 'ice'" in "".join(flink("SHOW CREATE TABLE samples"))
    flink("CREATE TABLE blank LIKE samples")
    assert flink("SELECT count(*) FROM blank") == ["0"]
    flink("CREATE TABLE depths AS SELECT depth FROM samples WHERE depth < 8")
    assert flink("SELECT * FROM depths ORDER BY depth") == ["1", "7"]


def test_forgets_and_drops(flink):
    flink("expire flink samples")
    # What the tag holds, and the newest.
    assert len(snapshots(flink, "samples")) == 2
    tagged = "SELECT count(*) FROM samples /*+ OPTIONS('tag'='season-1') */"
    assert flink(tagged) == ["3"]
    flink("DROP TABLE samples")
    assert sorted(flink("SHOW TABLES")) == ["blank", "depths", "levels"]
    with pytest.raises(RuntimeError, match="not found"):
        flink("SELECT * FROM samples")
