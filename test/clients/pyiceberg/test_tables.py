"""The life of a table: create, load, list, rename, drop, purge, register, stage."""

import pyarrow as pa
import pytest
from conftest import SCHEMA, SCHEME, connect, ids, rows
from pyiceberg.exceptions import (
    CommitFailedException,
    NoSuchNamespaceError,
    NoSuchTableError,
    TableAlreadyExistsError,
)
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema, assign_fresh_schema_ids
from pyiceberg.table.sorting import NullOrder, SortDirection, SortField, SortOrder
from pyiceberg.transforms import BucketTransform, DayTransform, IdentityTransform, TruncateTransform
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
    TimestampType,
    TimestamptzType,
    TimeType,
    UUIDType,
)

WIDE = Schema(
    NestedField(1, "id", LongType(), required=True, doc="the key"),
    NestedField(2, "flag", BooleanType()),
    NestedField(3, "small", IntegerType()),
    NestedField(4, "real", DoubleType()),
    NestedField(5, "price", DecimalType(18, 4)),
    NestedField(6, "day", DateType()),
    NestedField(7, "at_time", TimeType()),
    NestedField(8, "at", TimestampType()),
    NestedField(9, "at_zone", TimestamptzType()),
    NestedField(10, "name", StringType()),
    NestedField(11, "key", UUIDType()),
    NestedField(12, "code", FixedType(16)),
    NestedField(13, "raw", BinaryType()),
    NestedField(
        14, "tags", ListType(element_id=15, element_type=StringType(), element_required=True)
    ),
    NestedField(
        16,
        "counts",
        MapType(key_id=17, key_type=StringType(), value_id=18, value_type=LongType()),
    ),
    NestedField(
        19,
        "place",
        StructType(
            NestedField(20, "lat", DoubleType(), required=True),
            NestedField(21, "lon", DoubleType(), required=True),
        ),
    ),
    identifier_field_ids=[1],
)


def test_create_with_every_part(catalog, namespace):
    spec = PartitionSpec(
        PartitionField(source_id=8, field_id=1000, transform=DayTransform(), name="at_day"),
        PartitionField(source_id=1, field_id=1001, transform=BucketTransform(8), name="id_bucket"),
        PartitionField(source_id=10, field_id=1002, transform=TruncateTransform(4), name="name_4"),
    )
    order = SortOrder(
        SortField(8, IdentityTransform(), SortDirection.DESC, NullOrder.NULLS_LAST),
        SortField(1, BucketTransform(4), SortDirection.ASC, NullOrder.NULLS_FIRST),
    )
    made = catalog.create_table(
        (namespace, "wide"),
        schema=WIDE,
        partition_spec=spec,
        sort_order=order,
        properties={"owner": "ada", "write.parquet.compression-codec": "zstd", "empty": ""},
    )
    table = catalog.load_table((namespace, "wide"))
    assert table.metadata == made.metadata
    assert table.schema().as_struct() == assign_fresh_schema_ids(WIDE).as_struct()
    assert table.schema().identifier_field_ids == [1]
    assert table.schema().find_field("id").doc == "the key"
    assert table.spec().fields == spec.fields
    assert table.sort_order().fields == order.fields
    assert table.properties["owner"] == "ada" and table.properties["empty"] == ""
    assert table.metadata.last_column_id == 21
    assert table.last_partition_id() == 1002
    assert table.format_version == 2
    assert table.current_snapshot() is None and table.snapshots() == []
    assert ids(table) == []


@pytest.mark.firn
def test_locations_are_whole_uris(catalog, make):
    """Three slashes: some engines build wrong paths from `file:/`."""
    table = make("t", 1)
    assert table.location().startswith(SCHEME)
    assert table.metadata_location.startswith(f"{table.location()}/metadata/")
    assert all(task.file.file_path.startswith(SCHEME) for task in table.scan().plan_files())


@pytest.mark.parametrize("version", ["1", "2", "3"])
def test_format_versions(catalog, namespace, version):
    table = catalog.create_table(
        (namespace, "t"), schema=SCHEMA, properties={"format-version": version}
    )
    assert table.format_version == int(version)
    assert catalog.load_table((namespace, "t")).format_version == int(version)
    assert "format-version" not in table.properties


def test_upgrade_of_the_format(catalog, make):
    table = make("t", 1, 2, properties={"format-version": "1"})
    with table.transaction() as transaction:
        transaction.upgrade_table_version(format_version=2)
    table.append(rows(3))
    loaded = catalog.load_table(table.name())
    assert loaded.format_version == 2
    assert ids(loaded) == [1, 2, 3]


def test_list_and_exists(catalog, namespace, make):
    assert catalog.list_tables(namespace) == []
    for name in ("b", "a", "c"):
        make(name)
    assert sorted(catalog.list_tables(namespace)) == [(namespace, n) for n in "abc"]
    assert catalog.table_exists((namespace, "a"))
    assert not catalog.table_exists((namespace, "d"))
    assert not catalog.table_exists(("absent", "a"))
    paged = connect(**{"rest-page-size": "2"})
    assert sorted(paged.list_tables(namespace)) == [(namespace, n) for n in "abc"]


def test_errors(catalog, namespace, make):
    make("t")
    with pytest.raises(TableAlreadyExistsError):
        make("t")
    with pytest.raises(NoSuchNamespaceError):
        catalog.create_table(("absent", "t"), schema=SCHEMA)
    for call in (
        lambda: catalog.load_table((namespace, "absent")),
        lambda: catalog.load_table(("absent", "t")),
        lambda: catalog.drop_table((namespace, "absent")),
        lambda: catalog.purge_table((namespace, "absent")),
        lambda: catalog.rename_table((namespace, "absent"), (namespace, "other")),
    ):
        with pytest.raises(NoSuchTableError):
            call()


def test_create_if_not_exists(catalog, namespace):
    first = catalog.create_table_if_not_exists((namespace, "t"), schema=SCHEMA)
    second = catalog.create_table_if_not_exists((namespace, "t"), schema=SCHEMA)
    assert first.metadata.table_uuid == second.metadata.table_uuid


def test_rename(catalog, namespace, make):
    table = make("before", 1, 2, 3)
    other = (namespace, "elsewhere")
    catalog.create_namespace(other)
    renamed = catalog.rename_table((namespace, "before"), (*other, "after"))
    assert renamed.metadata.table_uuid == table.metadata.table_uuid
    assert renamed.metadata_location == table.metadata_location
    assert ids(renamed) == [1, 2, 3]
    assert not catalog.table_exists((namespace, "before"))
    assert catalog.list_tables(other) == [(*other, "after")]
    renamed.append(rows(4))
    fresh = make("before", 9)
    assert ids(catalog.load_table((*other, "after"))) == [1, 2, 3, 4]
    assert ids(fresh) == [9]
    with pytest.raises(TableAlreadyExistsError):
        catalog.rename_table((namespace, "before"), (*other, "after"))
    with pytest.raises(NoSuchNamespaceError):
        catalog.rename_table((namespace, "before"), ("absent", "t"))
    catalog.drop_table((*other, "after"))
    catalog.drop_namespace(other)


def test_a_stale_client_cannot_commit_under_a_name_that_now_means_another_table(
    catalog, namespace, make
):
    stale = make("t", 1, properties={"commit.retry.num-retries": "0"})
    catalog.rename_table((namespace, "t"), (namespace, "kept"))
    fresh = make("t", 2)
    with pytest.raises(CommitFailedException):
        stale.append(rows(3))
    assert ids(fresh.refresh()) == [2]
    assert ids(catalog.load_table((namespace, "kept"))) == [1]


def test_drop_and_register_again(catalog, namespace, make):
    table = make("t", 1, 2)
    table.append(rows(3))
    location, uuid = table.metadata_location, table.metadata.table_uuid
    catalog.drop_table((namespace, "t"))
    with pytest.raises(NoSuchTableError):
        catalog.load_table((namespace, "t"))
    back = catalog.register_table((namespace, "back"), location)
    assert back.metadata.table_uuid == uuid
    assert back.metadata_location == location
    assert ids(back) == [1, 2, 3]
    back.append(rows(4))
    assert ids(catalog.load_table((namespace, "back"))) == [1, 2, 3, 4]
    with pytest.raises(TableAlreadyExistsError):
        catalog.register_table((namespace, "back"), location)


def test_purge(catalog, namespace, make):
    make("t", 1)
    catalog.purge_table((namespace, "t"))
    assert not catalog.table_exists((namespace, "t"))
    assert catalog.list_tables(namespace) == []
    assert ids(make("t", 2)) == [2]


def test_a_successor_shares_no_directory(catalog, namespace, make):
    first = make("t", 1)
    catalog.drop_table((namespace, "t"))
    second = make("t", 2)
    assert second.metadata.table_uuid != first.metadata.table_uuid
    if first.location() == second.location():
        pytest.skip("this server reuses locations")
    assert not second.location().startswith(f"{first.location()}/")
    assert ids(second) == [2]


def test_properties(catalog, make):
    table = make("t", properties={"a": "1", "b": "2"})
    table.transaction().set_properties({"b": "3", "c": "ü\n"}).commit_transaction()
    table.transaction().remove_properties("a").commit_transaction()
    properties = catalog.load_table(table.name()).properties
    assert properties["b"] == "3" and properties["c"] == "ü\n" and "a" not in properties


def test_staged_create(catalog, namespace):
    identifier = (namespace, "staged")
    with catalog.create_table_transaction(identifier, schema=SCHEMA) as transaction:
        with transaction.update_schema() as update:
            update.add_column("note", StringType())
        transaction.set_properties({"made": "at once"})
        assert not catalog.table_exists(identifier)
        assert catalog.list_tables(namespace) == []
        data = rows(1, 2).append_column("note", pa.array(["x", None], pa.string()))
        transaction.append(data)
    table = catalog.load_table(identifier)
    assert table.properties["made"] == "at once"
    assert table.schema().find_field("note").field_type == StringType()
    assert ids(table) == [1, 2]
    assert len(table.snapshots()) == 1


def test_a_staged_create_loses_to_a_table_that_came_first(catalog, namespace, make):
    transaction = catalog.create_table_transaction((namespace, "t"), schema=SCHEMA)
    transaction.append(rows(1))
    make("t", 2)
    with pytest.raises((CommitFailedException, TableAlreadyExistsError)):
        transaction.commit_transaction()
    assert ids(catalog.load_table((namespace, "t"))) == [2]


def test_an_abandoned_staged_create_leaves_nothing(catalog, namespace, make):
    catalog.create_table_transaction((namespace, "t"), schema=SCHEMA)
    assert catalog.list_tables(namespace) == []
    assert ids(make("t", 1)) == [1]
