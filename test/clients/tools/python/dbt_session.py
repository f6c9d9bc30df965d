"""dbt: seed, run, test, incremental models, snapshots, the catalog; again over what is there."""

import json
import os
import shutil
import tempfile
from pathlib import Path

import psycopg2
from dbt.cli.main import dbtRunner

from transcript import Transcript

transcript = Transcript()
step = transcript.step
folder = Path(tempfile.mkdtemp(prefix="dbt-"))

FILES = {
    "dbt_project.yml": """
name: shop
version: "1.0"
profile: shop
flags: {send_anonymous_usage_stats: false, use_colors: false}
seeds:
  shop:
    +column_types: {amount: "numeric(10,2)", placed: timestamptz}
""",
    "profiles.yml": f"""
shop:
  target: dev
  outputs:
    dev:
      type: postgres
      host: {os.environ["PGHOST"]}
      port: {os.environ["PGPORT"]}
      user: {os.environ["PGUSER"]}
      password: none
      dbname: {os.environ["PGDATABASE"]}
      schema: shop
      threads: 1
""",
    "seeds/customers.csv": "id,name,joined\n1,Ada,2026-01-02\n2,Größe,2026-02-03\n3,,2026-03-04\n",
    "seeds/orders.csv": "id,customer_id,amount,state,placed\n"
    + "".join(f"{i},{i % 3 + 1},{i}.50,{'paid' if i % 2 else 'new'},2026-05-0{i} 03:04:05+00\n" for i in range(1, 9)),
    "models/clean_orders.sql": "select id as order_id, customer_id, amount, state, placed from {{ ref('orders') }}",
    "models/totals.sql": """{{ config(materialized='table', indexes=[{'columns': ['customer_id'], 'unique': true}]) }}
select c.id as customer_id, coalesce(c.name, '?') as name, count(o.order_id) as orders,
  sum(o.amount) as total, max(o.placed)::date as last_placed,
  rank() over (order by sum(o.amount) desc) as place
from {{ ref('customers') }} c left join {{ ref('clean_orders') }} o on o.customer_id = c.id
group by c.id, c.name
""",
    "models/months.sql": """{{ config(schema='reports') }}
with months as (select date_trunc('month', joined)::date as month, count(*) as n
  from {{ ref('customers') }} group by 1)
select month, n, sum(n) over (order by month) as so_far from months
""",
    "models/best.sql": """{{ config(materialized='table') }}
with ranked as (select * from {{ ref('totals') }}), cheap as ({{ ref('nothing') if false else "select 1 as one" }})
select ranked.name, ranked.total from ranked, cheap where ranked.place = 1
""",
    "models/paid.sql": """{{ config(materialized='incremental', unique_key='order_id',
  indexes=[{'columns': ['order_id'], 'unique': true}]) }}
select order_id, amount, '{{ 'later' if is_incremental() else 'first' }}' as made
from {{ ref('clean_orders') }} where state = 'paid'
{% if is_incremental() %} and order_id >= (select max(order_id) from {{ this }}) {% endif %}
""",
    "models/merged.sql": """{{ config(materialized='incremental', unique_key='order_id',
  incremental_strategy='merge', on_schema_change='append_new_columns') }}
select order_id, state {% if var('wide', false) %}, amount * 2 as twice {% endif %}
from {{ ref('clean_orders') }}
{% if is_incremental() %} where order_id > 6 {% endif %}
""",
    "models/appended.sql": """{{ config(materialized='incremental', incremental_strategy='append') }}
select count(*) as orders from {{ ref('clean_orders') }}
""",
    "snapshots/schema.yml": """
version: 2
snapshots:
  - name: kept_orders
    relation: ref('orders')
    config: {schema: history, unique_key: id, strategy: check, check_cols: [amount, state], hard_deletes: invalidate}
""",
    "models/schema.yml": """
version: 2
models:
  - name: clean_orders
    description: orders as they are
    config: {persist_docs: {relation: true, columns: true}}
    columns:
      - {name: order_id, description: its number, data_tests: [unique, not_null]}
      - name: customer_id
        data_tests:
          - relationships: {to: ref('customers'), field: id}
      - name: state
        data_tests:
          - accepted_values: {values: [new, paid]}
  - name: totals
    columns:
      - {name: name, data_tests: [not_null]}
  - name: best
    config:
      contract: {enforced: true}
    columns:
      - {name: name, data_type: text}
      - {name: total, data_type: numeric}
""",
    "tests/no_negative.sql": "select * from {{ ref('orders') }} where amount < 0",
    "tests/fails.sql": "select id from {{ ref('orders') }} where id > 6",
    "analyses/none.sql": "select 1",
    "macros/count.sql": """{% macro count_of(name) %}
  {% set found = run_query('select count(*) as n from ' ~ ref(name)) %}
  {{ log('count ' ~ found.columns[0].values()[0], info=True) }}
{% endmacro %}
""",
}
for name, text in FILES.items():
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(text)

runner = dbtRunner()


def dbt(*args):
    quiet = ["--quiet", "--no-use-colors", "--log-level-file", "none"]
    where = ["--project-dir", str(folder), "--profiles-dir", str(folder)]
    answer = runner.invoke([*quiet, *args, *where])
    if answer.exception is not None:
        raise answer.exception
    results = getattr(answer.result, "results", None)
    if results is None:
        return answer.success
    told = [
        [
            each.node.name if hasattr(each, "node") else each.unique_id,
            str(each.status),
            getattr(each, "failures", None),
            str(each.message) if each.status == "error" else None,
        ]
        for each in results
    ]
    return sorted(told, key=repr)


def rows(query):
    with psycopg2.connect("") as connection, connection.cursor() as cursor:
        cursor.execute(query)
        return cursor.fetchall()


@step
def connects():
    return dbt("debug")


@step
def seeds():
    return dbt("seed"), rows("SELECT * FROM shop.orders ORDER BY id")


@step
def runs_models():
    return dbt("run")


@step
def makes_tables_and_views():
    relations = rows(
        "SELECT table_schema, table_name, table_type FROM information_schema.tables"
        " WHERE table_schema LIKE 'shop%' ORDER BY 1, 2"
    )
    indexes = rows("SELECT tablename, regexp_replace(indexdef, 'INDEX \\S+', '') FROM pg_indexes WHERE schemaname = 'shop'")
    comment = rows("SELECT obj_description('shop.clean_orders'::regclass), col_description('shop.clean_orders'::regclass, 1)")
    return relations, indexes, comment


@step
def computes_the_same_rows():
    return [
        rows(f"SELECT * FROM {name} ORDER BY 1")
        for name in ("shop.clean_orders", "shop.totals", "shop.best", "shop_reports.months")
    ]


@step
def tests_data():
    return dbt("test")


@step
def runs_again_over_what_is_there():
    return dbt("run")


@step
def refreshes_seeds():
    text = FILES["seeds/orders.csv"] + "9,1,9.50,paid,2026-05-09 03:04:05+00\n"
    (folder / "seeds/orders.csv").write_text(text)
    return dbt("seed"), dbt("seed", "--full-refresh"), dbt("build", "--exclude", "fails")


def incremental_rows():
    return [
        rows("SELECT * FROM shop.paid ORDER BY order_id"),
        rows("SELECT * FROM shop.merged ORDER BY order_id"),
        rows("SELECT * FROM shop.appended ORDER BY 1"),
    ]


@step
def adds_to_incremental_models():
    before = incremental_rows()
    more = dbt("run", "--select", "paid", "merged", "appended", "--vars", "{wide: true}")
    return before, more, incremental_rows()


@step
def makes_incremental_models_anew():
    return dbt("run", "--select", "paid", "merged", "--full-refresh"), incremental_rows()


@step
def keeps_snapshots():
    kept = (
        "SELECT id, amount, state, dbt_valid_from IS NOT NULL, dbt_valid_to IS NULL"
        " FROM shop_history.kept_orders ORDER BY id, dbt_valid_from"
    )
    first = dbt("snapshot"), rows(kept)
    lines = (folder / "seeds/orders.csv").read_text().splitlines()
    changed = [line.replace("new", "sent") for line in lines if not line.startswith("3,")]
    (folder / "seeds/orders.csv").write_text("\n".join(changed) + "\n")
    dbt("seed", "--select", "orders")
    second = dbt("snapshot"), rows(kept)
    leftover = rows("SELECT count(*) FROM pg_class WHERE relname LIKE '%__dbt_tmp%'")
    return first, second, dbt("snapshot"), rows(kept), leftover


@step
def runs_operations():
    return dbt("run-operation", "count_of", "--args", "{name: totals}")


@step
def generates_the_catalog():
    dbt("docs", "generate")
    nodes = json.loads((folder / "target/catalog.json").read_text())["nodes"]
    return {
        key: [
            value["metadata"]["type"],
            value["metadata"]["schema"],
            [[each["name"], each["type"], each["comment"]] for each in value["columns"].values()],
        ]
        for key, value in sorted(nodes.items())
    }


@step
def shows_rows():
    return dbt("show", "--select", "totals")


transcript.run()
shutil.rmtree(folder)
