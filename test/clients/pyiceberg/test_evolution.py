"""Schemas and partition specs change; old data stays readable."""

import pyarrow as pa
import pytest
from conftest import ids, rows
from pyiceberg.exceptions import CommitFailedException, ValidationError
from pyiceberg.transforms import BucketTransform, IdentityTransform
from pyiceberg.types import (
    DoubleType,
    FloatType,
    IntegerType,
    ListType,
    LongType,
    NestedField,
    StringType,
    StructType,
)


def test_add_rename_delete(catalog, make):
    table = make("t", 1, 2)
    with table.update_schema() as update:
        update.add_column("note", StringType(), doc="free text")
        update.rename_column("amount", "total")
    with table.update_schema() as update:
        update.delete_column("city")
    loaded = catalog.load_table(table.name())
    assert loaded.schema().column_names == ["id", "total", "note"]
    assert loaded.schema().find_field("note").doc == "free text"
    assert sorted(loaded.schemas()) == [0, 1, 2]
    assert loaded.metadata.last_column_id == 4
    loaded.append(
        pa.table(
            {"id": [3], "total": [1.5], "note": ["x"]},
            schema=pa.schema([
                pa.field("id", pa.int64(), nullable=False),
                pa.field("total", pa.float64()),
                pa.field("note", pa.string()),
            ]),
        )
    )
    found = loaded.scan().to_arrow().sort_by("id").to_pylist()
    assert found == [
        {"id": 1, "total": 0.5, "note": None},
        {"id": 2, "total": 1.0, "note": None},
        {"id": 3, "total": 1.5, "note": "x"},
    ]


def test_a_name_that_returns_is_another_column(catalog, make):
    table = make("t", 1)
    with table.update_schema() as update:
        update.delete_column("city")
    with table.update_schema() as update:
        update.add_column("city", StringType())
    loaded = catalog.load_table(table.name())
    assert loaded.schema().find_field("city").field_id == 4
    assert loaded.scan().to_arrow()["city"].to_pylist() == [None]


def test_widen(catalog, namespace):
    table = catalog.create_table(
        (namespace, "t"),
        schema=pa.schema([pa.field("i", pa.int32()), pa.field("f", pa.float32())]),
    )
    table.append(pa.table({"i": pa.array([7], pa.int32()), "f": pa.array([0.5], pa.float32())}))
    assert table.schema().find_type("i") == IntegerType()
    assert table.schema().find_type("f") == FloatType()
    with table.update_schema() as update:
        update.update_column("i", LongType())
        update.update_column("f", DoubleType())
    table.append(pa.table({"i": pa.array([2**40], pa.int64()), "f": pa.array([0.25])}))
    loaded = catalog.load_table(table.name())
    assert loaded.schema().find_type("i") == LongType()
    assert sorted(loaded.scan().to_arrow()["i"].to_pylist()) == [7, 2**40]
    with pytest.raises(ValidationError), loaded.update_schema() as update:
        update.update_column("i", IntegerType())


def test_nested(catalog, make):
    table = make("t", 1)
    with table.update_schema() as update:
        update.add_column("place", StructType(NestedField(1, "lat", DoubleType())))
        update.add_column(
            "tags", ListType(element_id=1, element_type=StringType(), element_required=False)
        )
    with table.update_schema() as update:
        update.add_column(("place", "lon"), DoubleType())
        update.rename_column("place.lat", "latitude")
        update.move_first("place")
    loaded = catalog.load_table(table.name())
    assert loaded.schema().fields[0].name == "place"
    assert [f.name for f in loaded.schema().find_type("place").fields] == ["latitude", "lon"]
    all_ids = sorted(loaded.schema().field_ids)
    assert len(all_ids) == len(set(all_ids)) == loaded.metadata.last_column_id
    assert ids(loaded) == [1]


def test_returning_to_an_old_schema_reuses_its_id(catalog, make):
    table = make("t")
    with table.update_schema() as update:
        update.rename_column("city", "town")
    with table.update_schema() as update:
        update.rename_column("town", "city")
    loaded = catalog.load_table(table.name())
    assert loaded.schema().schema_id == 0
    assert sorted(loaded.schemas()) == [0, 1]


def test_union_by_name(catalog, make):
    table = make("t", 1)
    with table.update_schema() as update:
        update.union_by_name(
            pa.schema([pa.field("id", pa.int64()), pa.field("extra", pa.list_(pa.int32()))])
        )
    names = catalog.load_table(table.name()).schema().column_names
    assert set(names) == {"id", "city", "amount", "extra", "extra.element"}


def test_partition_evolution(catalog, make):
    table = make("t", 1, 2)
    with table.update_spec() as update:
        update.add_field("city", IdentityTransform(), "city_part")
    table.append(rows(3, city="Rome"))
    with table.update_spec() as update:
        update.add_field("id", BucketTransform(4), "id_bucket")
        update.rename_field("city_part", "by_city")
    table.append(rows(4, 5, city="Lima"))
    with table.update_spec() as update:
        update.remove_field("by_city")
    table.append(rows(6))
    loaded = catalog.load_table(table.name())
    assert ids(loaded) == [1, 2, 3, 4, 5, 6]
    assert [f.name for f in loaded.spec().fields] == ["id_bucket"]
    assert loaded.last_partition_id() == 1001
    assert len(loaded.specs()) == 4
    assert ids(loaded, row_filter="city = 'Rome'") == [3]


def test_sort_order_evolution(catalog, make):
    table = make("t", 1)
    with table.update_sort_order() as update:
        update.asc("id", IdentityTransform())
    loaded = catalog.load_table(table.name())
    assert [field.source_id for field in loaded.sort_order().fields] == [1]
    assert loaded.sort_order().order_id == 1


def test_two_clients_cannot_both_change_the_schema(catalog, make):
    table = make("t")
    stale = catalog.load_table(table.name())
    with table.update_schema() as update:
        update.add_column("first", StringType())
    with pytest.raises(CommitFailedException), stale.update_schema() as update:
        update.add_column("second", StringType())
    loaded = catalog.load_table(table.name())
    assert loaded.schema().column_names == ["id", "city", "amount", "first"]


def test_a_schema_change_and_a_property_do_not_collide(catalog, make):
    table = make("t")
    stale = catalog.load_table(table.name())
    with table.update_schema() as update:
        update.add_column("first", StringType())
    stale.transaction().set_properties({"late": "1"}).commit_transaction()
    loaded = catalog.load_table(table.name())
    assert loaded.properties["late"] == "1"
    assert "first" in loaded.schema().column_names
