"""What SQLAlchemy requires of PostgreSQL, without what the server refuses as not supported."""

import psycopg
from sqlalchemy.testing import exclusions
from theirs import DefaultRequirements

_TEMPORARY = (
    "temporary_tables",
    "temp_table_reflection",
    "temp_table_names",
    "temp_table_reflect_indexes",
    "has_temp_table",
)
_FEATURES = (
    ("temporary tables", "CREATE TEMPORARY TABLE asked (n int)", _TEMPORARY),
    ("temporary views", "CREATE TEMPORARY VIEW asked AS SELECT 1 AS n", ("temporary_views",)),
    (
        "materialized views",
        "CREATE MATERIALIZED VIEW asked AS SELECT 1 AS n",
        ("materialized_views", "materialized_views_reflect_pk"),
    ),
)


def _is_refused(statement):
    with psycopg.connect("") as connection:
        try:
            connection.execute(statement)
        except psycopg.errors.FeatureNotSupported:
            return True
        finally:
            connection.rollback()
    return False


def _closed(feature):
    return property(lambda self: exclusions.skip_if(lambda: True, f"refused: {feature}"))


REFUSED = [feature for feature, statement, _ in _FEATURES if _is_refused(statement)]


class Required(DefaultRequirements):
    for _feature, _, _names in _FEATURES:
        if _feature in REFUSED:
            for _name in _names:
                # A requirement that is gone would be closed in vain.
                getattr(DefaultRequirements, _name)
                locals()[_name] = _closed(_feature)
