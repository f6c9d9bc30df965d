"""Rows in, rows out: append, overwrite, delete, upsert."""

import pyarrow as pa
import pytest
from conftest import ids, rows
from pyiceberg.expressions import And, EqualTo, GreaterThanOrEqual, In, LessThan
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.table.snapshots import Operation
from pyiceberg.transforms import IdentityTransform

BY_CITY = PartitionSpec(
    PartitionField(source_id=2, field_id=1000, transform=IdentityTransform(), name="city")
)


def test_append(catalog, make):
    table = make("t")
    for i in range(4):
        table.append(rows(i, i + 100))
    loaded = catalog.load_table(table.name())
    assert ids(loaded) == [0, 1, 2, 3, 100, 101, 102, 103]
    assert [s.summary.operation for s in loaded.snapshots()] == [Operation.APPEND] * 4
    assert [s.sequence_number for s in loaded.snapshots()] == [1, 2, 3, 4]
    assert loaded.current_snapshot().summary["total-records"] == "8"
    assert loaded.scan().to_arrow().schema.field("amount").type == pa.float64()


def test_several_appends_in_one_commit(catalog, make):
    table = make("t")
    with table.transaction() as transaction:
        transaction.append(rows(1))
        transaction.append(rows(2))
        transaction.set_properties({"batch": "7"})
    loaded = catalog.load_table(table.name())
    assert ids(loaded) == [1, 2]
    assert loaded.properties["batch"] == "7"
    assert len(loaded.metadata.metadata_log) == 1


def test_an_aborted_transaction_changes_nothing(catalog, make):
    table = make("t", 1)
    before = catalog.load_table(table.name()).metadata_location
    with pytest.raises(RuntimeError, match="stop"):
        with table.transaction() as transaction:
            transaction.append(rows(2))
            raise RuntimeError("stop")
    loaded = catalog.load_table(table.name())
    assert loaded.metadata_location == before
    assert ids(loaded) == [1]


def test_full_overwrite(catalog, make):
    table = make("t", 1, 2, 3)
    table.overwrite(rows(7, 8))
    loaded = catalog.load_table(table.name())
    assert ids(loaded) == [7, 8]
    assert ids(loaded, snapshot_id=loaded.snapshots()[0].snapshot_id) == [1, 2, 3]


def test_filtered_overwrite(catalog, make):
    table = make("t", *range(10))
    table.overwrite(rows(50), overwrite_filter=And(GreaterThanOrEqual("id", 3), LessThan("id", 6)))
    assert ids(catalog.load_table(table.name())) == [0, 1, 2, 6, 7, 8, 9, 50]


def test_dynamic_partition_overwrite(catalog, make):
    table = make("t", partition_spec=BY_CITY)
    table.append(pa.concat_tables([rows(1, 2, city="Oslo"), rows(3, 4, city="Rome")]))
    table.dynamic_partition_overwrite(rows(9, city="Rome"))
    assert ids(catalog.load_table(table.name())) == [1, 2, 9]


def test_delete(catalog, make):
    table = make("t", *range(10))
    table.delete(In("id", [2, 4]))
    table.delete("id >= 8")
    assert ids(catalog.load_table(table.name())) == [0, 1, 3, 5, 6, 7]


def test_delete_of_a_whole_partition(catalog, make):
    table = make("t", partition_spec=BY_CITY)
    table.append(pa.concat_tables([rows(1, 2, city="Oslo"), rows(3, city="São Paulo/Süd")]))
    table.delete(EqualTo("city", "São Paulo/Süd"))
    loaded = catalog.load_table(table.name())
    assert ids(loaded) == [1, 2]
    assert loaded.current_snapshot().summary.operation == Operation.DELETE


def test_delete_of_nothing(catalog, make):
    table = make("t", 1, 2)
    with pytest.warns(UserWarning):
        table.delete(EqualTo("id", 77))
    assert ids(catalog.load_table(table.name())) == [1, 2]


def test_upsert(catalog, make):
    table = make("t", 1, 2, 3)
    result = table.upsert(rows(2, 3, 4, city="Rome"), join_cols=["id"])
    assert (result.rows_updated, result.rows_inserted) == (2, 1)
    found = catalog.load_table(table.name()).scan().to_arrow().sort_by("id").to_pylist()
    assert [(row["id"], row["city"]) for row in found] == [
        (1, "Oslo"),
        (2, "Rome"),
        (3, "Rome"),
        (4, "Rome"),
    ]


def test_partition_pruning_reads_one_file(catalog, make):
    table = make("t", partition_spec=BY_CITY)
    for city in ("Oslo", "Rome", "Lima"):
        table.append(rows(len(city), city=city))
    scan = catalog.load_table(table.name()).scan(row_filter="city = 'Lima'")
    assert len(list(scan.plan_files())) == 1
    assert scan.to_arrow().num_rows == 1


def test_add_files(catalog, make, tmp_path):
    import pyarrow.parquet as parquet

    table = make("t", 1)
    path = tmp_path / "extern.parquet"
    parquet.write_table(rows(5, 6), path)
    table.add_files([f"file://{path}"])
    assert ids(catalog.load_table(table.name())) == [1, 5, 6]


def test_inspection(catalog, make):
    table = make("t", 1, 2)
    table.append(rows(3))
    inspect = catalog.load_table(table.name()).inspect
    assert inspect.snapshots().num_rows == 2
    assert sum(inspect.files()["record_count"].to_pylist()) == 3
    assert inspect.history()["is_current_ancestor"].to_pylist() == [True, True]
    assert inspect.metadata_log_entries().num_rows == 3


def test_schema_is_enforced(make):
    table = make("t")
    with pytest.raises(ValueError):
        table.append(pa.table({"id": pa.array(["text"], pa.string())}))
    assert table.refresh().snapshots() == []
