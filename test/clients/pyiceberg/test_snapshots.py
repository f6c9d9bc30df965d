"""Branches, tags, time travel, rollback, expiry, and ids that JavaScript numbers cannot hold."""

import json
from datetime import datetime, timezone

import pytest
from conftest import ids, rows
from pyiceberg.exceptions import CommitFailedException
from pyiceberg.table.refs import SnapshotRefType


@pytest.fixture
def table(make):
    """Three snapshots, one row more in each."""
    made = make("t", 1)
    made.append(rows(2))
    made.append(rows(3))
    return made


def test_time_travel_by_id(catalog, table):
    loaded = catalog.load_table(table.name())
    seen = [ids(loaded, snapshot_id=s.snapshot_id) for s in loaded.snapshots()]
    assert seen == [[1], [1, 2], [1, 2, 3]]
    parents = [s.parent_snapshot_id for s in loaded.snapshots()]
    assert parents == [None, *[s.snapshot_id for s in loaded.snapshots()[:-1]]]


def test_time_travel_by_time(catalog, table):
    loaded = catalog.load_table(table.name())
    log = loaded.history()
    assert [entry.snapshot_id for entry in log] == [s.snapshot_id for s in loaded.snapshots()]
    for entry in log:
        found = loaded.snapshot_as_of_timestamp(entry.timestamp_ms)
        assert found.timestamp_ms == entry.timestamp_ms
    assert loaded.snapshot_as_of_timestamp(log[0].timestamp_ms - 1) is None
    assert loaded.snapshot_as_of_timestamp(2**50).snapshot_id == log[-1].snapshot_id


def test_tags(catalog, table):
    first, second, _ = (s.snapshot_id for s in table.snapshots())
    table.manage_snapshots().create_tag(first, "v1", max_ref_age_ms=86_400_000).commit()
    table.manage_snapshots().create_tag(second, "v2").commit()
    loaded = catalog.load_table(table.name())
    assert loaded.refs()["v1"].snapshot_ref_type == SnapshotRefType.TAG
    assert loaded.refs()["v1"].max_ref_age_ms == 86_400_000
    assert loaded.snapshot_by_name("v2").snapshot_id == second
    assert sorted(loaded.scan().use_ref("v1").to_arrow()["id"].to_pylist()) == [1]
    loaded.manage_snapshots().remove_tag("v1").commit()
    assert set(catalog.load_table(table.name()).refs()) == {"main", "v2"}


def test_branches(catalog, table):
    second = table.snapshots()[1].snapshot_id
    table.manage_snapshots().create_branch(
        second, "audit", max_snapshot_age_ms=1_000_000, min_snapshots_to_keep=5
    ).commit()
    made = catalog.load_table(table.name()).refs()["audit"]
    assert made.snapshot_ref_type == SnapshotRefType.BRANCH
    assert (made.snapshot_id, made.max_snapshot_age_ms) == (second, 1_000_000)
    assert made.min_snapshots_to_keep == 5
    table.append(rows(20), branch="audit")
    table.append(rows(30))
    table.delete("id = 1", branch="audit")
    loaded = catalog.load_table(table.name())
    assert ids(loaded) == [1, 2, 3, 30]
    assert sorted(loaded.scan().use_ref("audit").to_arrow()["id"].to_pylist()) == [2, 20]
    assert [s.sequence_number for s in loaded.snapshots()] == [1, 2, 3, 4, 5, 6]
    loaded.manage_snapshots().remove_branch("audit").commit()
    gone = catalog.load_table(table.name())
    assert set(gone.refs()) == {"main"}
    assert ids(gone) == [1, 2, 3, 30]


def test_a_branch_never_moves_under_a_stale_writer(catalog, table):
    table.transaction().set_properties({"commit.retry.num-retries": "0"}).commit_transaction()
    stale = catalog.load_table(table.name())
    table.append(rows(4))
    with pytest.raises(CommitFailedException):
        stale.append(rows(5))
    assert ids(catalog.load_table(table.name())) == [1, 2, 3, 4]


def test_rollback(catalog, table):
    first = table.snapshots()[0].snapshot_id
    table.manage_snapshots().rollback_to_snapshot(first).commit()
    loaded = catalog.load_table(table.name())
    assert ids(loaded) == [1]
    assert len(loaded.snapshots()) == 3
    assert [entry.snapshot_id for entry in loaded.history()][-1] == first
    loaded.append(rows(9))
    assert ids(catalog.load_table(table.name())) == [1, 9]


def test_expire(catalog, table):
    first, second, third = (s.snapshot_id for s in table.snapshots())
    table.manage_snapshots().create_tag(first, "keep").commit()
    table.maintenance.expire_snapshots().by_id(second).commit()
    loaded = catalog.load_table(table.name())
    assert [s.snapshot_id for s in loaded.snapshots()] == [first, third]
    assert loaded.snapshot_by_id(second) is None
    assert ids(loaded) == [1, 2, 3]
    assert sorted(loaded.scan().use_ref("keep").to_arrow()["id"].to_pylist()) == [1]


def test_expire_by_age_keeps_what_refs_hold(catalog, table):
    table.maintenance.expire_snapshots().older_than(
        datetime(2200, 1, 1, tzinfo=timezone.utc).replace(tzinfo=None)
    ).commit()
    loaded = catalog.load_table(table.name())
    assert [s.snapshot_id for s in loaded.snapshots()] == [table.current_snapshot().snapshot_id]
    assert ids(loaded) == [1, 2, 3]


def test_64_bit_ids_survive(catalog, make):
    """Every id is read from the raw bytes: a parser that rounds cannot hide behind another."""
    table = make("t")
    for i in range(12):
        table.append(rows(i))
    written = [s.snapshot_id for s in table.snapshots()]
    # 12 random 63-bit ids: the chance that all of them lie below 2**53 is 2**-120.
    assert max(written) > 2**53
    loaded = catalog.load_table(table.name())
    assert [s.snapshot_id for s in loaded.snapshots()] == written
    for snapshot in loaded.snapshots():
        assert all(
            manifest.added_snapshot_id in written for manifest in snapshot.manifests(loaded.io)
        )
    with table.io.new_input(table.metadata_location).open() as file:
        text = file.read().decode()
    stored = json.loads(text)
    assert [s["snapshot-id"] for s in stored["snapshots"]] == written
    assert [e["snapshot-id"] for e in stored["snapshot-log"]] == written
    assert stored["current-snapshot-id"] == stored["refs"]["main"]["snapshot-id"] == written[-1]
    for snapshot_id in written:
        assert f'"snapshot-id":{snapshot_id}' in text.replace(": ", ":").replace(" :", ":")


def test_only_the_snapshots_of_refs_when_asked(make):
    from conftest import connect

    table = make("t", 1)
    table.append(rows(2))
    table.append(rows(3))
    lean = connect(**{"snapshot-loading-mode": "refs"}).load_table(table.name())
    assert [s.snapshot_id for s in lean.snapshots()] == [table.current_snapshot().snapshot_id]
    assert ids(lean) == [1, 2, 3]


def test_the_metadata_log_is_bounded(catalog, make):
    table = make("t", properties={"write.metadata.previous-versions-max": "3"})
    for i in range(6):
        table.append(rows(i))
    loaded = catalog.load_table(table.name())
    assert len(loaded.metadata.metadata_log) == 3
    assert len({entry.metadata_file for entry in loaded.metadata.metadata_log}) == 3
    assert ids(loaded) == list(range(6))
