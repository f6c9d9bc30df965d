"""Alembic: migrations written by autogenerate, run up and down, and found complete."""

import re
import shutil
import tempfile
from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata, produce_migrations
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import ScriptDirectory
from sqlalchemy.dialects import postgresql as pg

from transcript import Transcript

transcript = Transcript()
step = transcript.step
engine = sa.create_engine("postgresql+psycopg://")
folder = Path(tempfile.mkdtemp(prefix="alembic-"))

ENV = """
from alembic import context
config = context.config
with config.attributes["engine"].connect() as connection:
    context.configure(
        connection=connection,
        target_metadata=config.attributes["metadata"],
        compare_type=True,
        compare_server_default=True,
        transaction_per_migration=True,
    )
    with context.begin_transaction():
        context.run_migrations()
"""
TEMPLATE = '''
"""${message}"""
from alembic import op
import sqlalchemy as sa
${imports if imports else ""}
revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
def upgrade() -> None:
    ${upgrades if upgrades else "pass"}
def downgrade() -> None:
    ${downgrades if downgrades else "pass"}
'''


def first_model():
    metadata = sa.MetaData()
    sa.Table(
        "customers",
        metadata,
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(50), nullable=False, server_default="nobody"),
        sa.Column("joined", sa.DateTime(timezone=True), server_default=sa.func.now()),
        sa.Column("level", sa.SmallInteger, server_default=sa.text("1")),
        sa.Column("old", sa.Text),
    )
    sa.Table(
        "orders",
        metadata,
        sa.Column("id", sa.BigInteger, sa.Identity(), primary_key=True),
        sa.Column("customer_id", sa.ForeignKey("customers.id", name="orders_customer"), nullable=False, index=True),
        sa.Column("total", sa.Numeric(12, 2), nullable=False),
        sa.CheckConstraint("total >= 0", name="orders_total_positive"),
    )
    return metadata


def second_model():
    metadata = sa.MetaData()
    sa.Table(
        "customers",
        metadata,
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(120), nullable=False, server_default="somebody"),
        sa.Column("joined", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.Column("level", sa.Integer, server_default=sa.text("2")),
        sa.Column("email", sa.Text),
        sa.Column("tags", pg.ARRAY(sa.Text), comment="of the shop"),
        sa.UniqueConstraint("email", name="customers_email"),
        sa.Index("customers_name_lower", sa.text("lower(name)")),
        comment="who buys",
    )
    sa.Table(
        "orders",
        metadata,
        sa.Column("id", sa.BigInteger, sa.Identity(), primary_key=True),
        sa.Column("customer_id", sa.ForeignKey("customers.id", name="orders_of", ondelete="CASCADE"), nullable=False),
        sa.Column("total", sa.Numeric(14, 4), nullable=False),
        sa.Column("state", sa.Enum("new", "paid", name="order_state"), server_default="new"),
        sa.Column("doc", pg.JSONB, server_default=sa.text("'{}'::jsonb")),
        sa.Index("orders_unpaid", "customer_id", postgresql_where=sa.text("total > 0")),
        sa.UniqueConstraint("customer_id", "total", name="orders_once"),
    )
    sa.Table(
        "lines",
        metadata,
        sa.Column("order_id", sa.ForeignKey("orders.id"), primary_key=True),
        sa.Column("line", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("key", sa.Uuid, server_default=sa.text("gen_random_uuid()")),
    )
    return metadata


def config_of(metadata):
    config = Config()
    config.set_main_option("script_location", str(folder))
    config.attributes.update(engine=engine, metadata=metadata)
    return config


def differences(metadata):
    options = {"compare_type": True, "compare_server_default": True}
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts=options)
        return [
            each[0] if isinstance(each, tuple) else [part[0] for part in each]
            for each in compare_metadata(context, metadata)
        ]


def written(metadata, message, revision):
    script = command.revision(config_of(metadata), message, autogenerate=True, rev_id=revision)
    text = Path(script.path).read_text()
    return re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)


def now():
    with engine.connect() as connection:
        return connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalars().all()


@step
def writes_the_first_migration():
    (folder / "versions").mkdir()
    (folder / "env.py").write_text(ENV)
    (folder / "script.py.mako").write_text(TEMPLATE)
    return written(first_model(), "first", "r1")


@step
def upgrades_to_it():
    command.upgrade(config_of(first_model()), "head")
    return now(), differences(first_model())


@step
def finds_what_the_second_model_changes():
    with engine.begin() as connection:
        connection.exec_driver_sql("INSERT INTO customers (name) VALUES ('a'), ('b')")
        connection.exec_driver_sql("INSERT INTO orders (customer_id, total) VALUES (1, 2.5)")
    return differences(second_model())


@step
def writes_the_second_migration():
    return written(second_model(), "second", "r2")


@step
def upgrades_and_nothing_is_left():
    # Autogenerate makes no type for a column that it adds.
    sa.Enum("new", "paid", name="order_state").create(engine)
    command.upgrade(config_of(second_model()), "head")
    command.check(config_of(second_model()))
    return now(), differences(second_model())


@step
def keeps_the_rows():
    with engine.connect() as connection:
        return [
            [tuple(row) for row in connection.exec_driver_sql(f"SELECT {what} ORDER BY 1")]
            for what in ("id, name, level, email, tags FROM customers", "id, total, state FROM orders")
        ]


@step
def runs_operations():
    with engine.begin() as connection:
        op = Operations(MigrationContext.configure(connection))
        op.add_column("lines", sa.Column("note", sa.String(10), server_default="n", nullable=False))
        op.alter_column("lines", "note", new_column_name="remark", existing_type=sa.String(10))
        op.alter_column("lines", "remark", type_=sa.Text, server_default=None, nullable=True)
        op.create_check_constraint("lines_positive", "lines", "line > 0")
        op.create_index("lines_remark", "lines", ["remark"], unique=True, if_not_exists=True)
        op.bulk_insert(
            sa.table("lines", sa.column("order_id"), sa.column("line"), sa.column("remark")),
            [{"order_id": 1, "line": i, "remark": f"r{i}"} for i in range(1, 4)],
        )
        op.execute("UPDATE lines SET remark = upper(remark) WHERE line > 1")
        op.rename_table("lines", "order_lines")
        op.drop_constraint("lines_positive", "order_lines", type_="check")
        op.drop_index("lines_remark", "order_lines")
        op.create_table_comment("order_lines", "renamed")
        rows = connection.exec_driver_sql("SELECT line, remark FROM order_lines ORDER BY line").all()
        op.rename_table("order_lines", "lines")
        op.drop_column("lines", "remark")
        op.drop_table_comment("lines")
    return [tuple(row) for row in rows], differences(second_model())


@step
def indexes_beside_writers():
    context = MigrationContext.configure(engine.connect())
    op = Operations(context)
    with context.autocommit_block():
        op.create_index("orders_state", "orders", ["state"], postgresql_concurrently=True)
        op.drop_index("orders_state", "orders", postgresql_concurrently=True)
    context.connection.close()
    return differences(second_model())


@step
def undoes_a_migration_that_fails():
    script = ScriptDirectory(str(folder))
    script.generate_revision("r3", "broken", head="head")
    path = next((folder / "versions").glob("r3_*"))
    body = 'op.create_table("broken", sa.Column("id", sa.Integer))\n    op.execute("SELECT 1 / 0")'
    path.write_text(path.read_text().replace("pass", body, 1))
    try:
        command.upgrade(config_of(second_model()), "head")
    except sa.exc.DBAPIError as error:
        code = error.orig.sqlstate
    path.unlink()
    return code, now(), sa.inspect(engine).has_table("broken")


@step
def downgrades():
    command.downgrade(config_of(second_model()), "r1")
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP TYPE order_state")
    left = now(), differences(first_model())
    command.downgrade(config_of(first_model()), "base")
    return *left, now(), sa.inspect(engine).get_table_names()


@step
def writes_sql_without_a_connection():
    with engine.connect() as connection:
        context = MigrationContext.configure(connection)
        plan = produce_migrations(context, second_model())
        return [type(each).__name__ for each in plan.upgrade_ops.ops]


transcript.run()
shutil.rmtree(folder)
