"""Which catalog a client is given, and what the server says it can do."""

import pytest
from conftest import connect
from pyiceberg.catalog.rest import Capability
from pyiceberg.exceptions import RESTError


@pytest.mark.firn
def test_no_warehouse_means_default():
    assert connect().properties["prefix"] == "default"
    assert connect(warehouse="default").properties["prefix"] == "default"


def test_the_same_catalog_by_either_way(namespace):
    assert connect(warehouse="default").namespace_exists(namespace)
    assert connect().namespace_exists(namespace)


@pytest.mark.firn
def test_an_unknown_warehouse_is_refused():
    with pytest.raises(RESTError, match="404|NoSuchWarehouseException"):
        connect(warehouse="no such warehouse")


@pytest.mark.firn
def test_an_unknown_prefix_is_not_the_default_catalog(namespace):
    lost = connect()
    lost.properties["prefix"] = "nowhere"
    assert not lost.namespace_exists(namespace)


@pytest.mark.parametrize(
    "capability",
    [
        Capability.V1_LIST_NAMESPACES,
        Capability.V1_CREATE_NAMESPACE,
        Capability.V1_LOAD_NAMESPACE,
        Capability.V1_NAMESPACE_EXISTS,
        Capability.V1_UPDATE_NAMESPACE,
        Capability.V1_DELETE_NAMESPACE,
        Capability.V1_LIST_TABLES,
        Capability.V1_CREATE_TABLE,
        Capability.V1_LOAD_TABLE,
        Capability.V1_TABLE_EXISTS,
        Capability.V1_UPDATE_TABLE,
        Capability.V1_DELETE_TABLE,
        Capability.V1_RENAME_TABLE,
        Capability.V1_REGISTER_TABLE,
    ],
    ids=str,
)
def test_the_client_is_told_of_every_route_it_gates(catalog, capability):
    assert capability in catalog._supported_endpoints
