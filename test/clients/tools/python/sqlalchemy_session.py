"""SQLAlchemy 2: tables made, reflected and inspected; Core; the ORM with relationships."""

import datetime
import decimal
import enum
import uuid

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql as pg
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import (
    DeclarativeBase,
    Mapped,
    Session,
    aliased,
    contains_eager,
    joinedload,
    mapped_column,
    relationship,
    selectinload,
    subqueryload,
)

from transcript import Transcript, spaced

transcript = Transcript()
step = transcript.step
engine = sa.create_engine("postgresql+psycopg://")


class Base(DeclarativeBase):
    pass


class Mood(enum.Enum):
    calm = "calm"
    busy = "busy"


article_tags = sa.Table(
    "article_tags",
    Base.metadata,
    sa.Column("article_id", sa.ForeignKey("articles.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("tag_id", sa.ForeignKey("tags.id"), primary_key=True),
)


class Author(Base):
    __tablename__ = "authors"
    __table_args__ = (
        sa.CheckConstraint("char_length(name) > 1", name="authors_name_long"),
        sa.Index("authors_lower_name", sa.text("lower(name)")),
        sa.Index("authors_busy", "born", postgresql_where=sa.text("mood = 'busy'")),
        {"comment": "who writes"},
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(sa.String(40), comment="as printed")
    email: Mapped[str | None] = mapped_column(sa.Text, unique=True)
    mood: Mapped[Mood] = mapped_column(sa.Enum(Mood, name="mood"), server_default="calm")
    born: Mapped[datetime.date | None]
    articles: Mapped[list["Article"]] = relationship(
        back_populates="author", cascade="all, delete-orphan", order_by="Article.id"
    )


class Article(Base):
    __tablename__ = "articles"
    __table_args__ = (
        sa.UniqueConstraint("author_id", "title", name="articles_author_title"),
        sa.Index("articles_when", sa.desc("published"), "id"),
    )
    id: Mapped[int] = mapped_column(sa.BigInteger, sa.Identity(start=100), primary_key=True)
    author_id: Mapped[int] = mapped_column(
        sa.ForeignKey("authors.id", name="articles_author", onupdate="CASCADE")
    )
    title: Mapped[str] = mapped_column(sa.String(80))
    price: Mapped[decimal.Decimal] = mapped_column(sa.Numeric(10, 2), server_default=sa.text("1.25"))
    published: Mapped[datetime.datetime] = mapped_column(
        sa.DateTime(timezone=True), server_default=sa.func.now()
    )
    words: Mapped[list[str] | None] = mapped_column(pg.ARRAY(sa.Text))
    extra: Mapped[dict | None] = mapped_column(pg.JSONB)
    key: Mapped[uuid.UUID | None]
    raw: Mapped[bytes | None]
    score: Mapped[float | None] = mapped_column(sa.Double)
    is_open: Mapped[bool] = mapped_column(server_default=sa.true())
    lasts: Mapped[datetime.timedelta | None]
    doubled: Mapped[decimal.Decimal] = mapped_column(
        sa.Numeric, sa.Computed("price * 2", persisted=True)
    )
    author: Mapped[Author] = relationship(back_populates="articles")
    tags: Mapped[list["Tag"]] = relationship(secondary=article_tags, order_by="Tag.name")


class Tag(Base):
    __tablename__ = "tags"
    id: Mapped[int] = mapped_column(sa.Sequence("tag_numbers", start=7), primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)


class Node(Base):
    __tablename__ = "nodes"
    __table_args__ = {"schema": "side"}
    id: Mapped[int] = mapped_column(sa.SmallInteger, primary_key=True)
    parent_id: Mapped[int | None] = mapped_column(sa.ForeignKey("side.nodes.id"))
    at: Mapped[datetime.time | None]
    children: Mapped[list["Node"]] = relationship(order_by="Node.id")


@step
def connects():
    with engine.connect() as connection:
        dialect = connection.dialect
        return dialect.server_version_info[0], dialect.default_schema_name


@step
def creates_everything():
    with engine.begin() as connection:
        connection.execute(sa.schema.CreateSchema("side"))
    Base.metadata.create_all(engine)
    Base.metadata.create_all(engine)


@step
def lists_names():
    inspector = sa.inspect(engine)
    return {
        "schemas": inspector.get_schema_names(),
        "tables": sorted(inspector.get_table_names()),
        "side": inspector.get_table_names("side"),
        "views": inspector.get_view_names(),
        "materialized": inspector.get_materialized_view_names(),
        "temporary": inspector.get_temp_table_names(),
        "sequences": sorted(inspector.get_sequence_names()),
        "has": [inspector.has_table("authors"), inspector.has_table("nothing")],
        "hasSequence": inspector.has_sequence("tag_numbers"),
        "hasSchema": [inspector.has_schema("side"), inspector.has_schema("nowhere")],
        "hasIndex": inspector.has_index("authors", "authors_busy"),
        "order": [table for table, _ in inspector.get_sorted_table_and_fkc_names()],
    }


def told_of(inspector, table, schema=None):
    columns = [
        {**column, "type": repr(column["type"])}
        for column in inspector.get_columns(table, schema=schema)
    ]
    for column in columns:
        if "computed" in column:
            column["computed"] = spaced(column["computed"]["sqltext"])
    checks = inspector.get_check_constraints(table, schema=schema)
    indexes = inspector.get_indexes(table, schema=schema)
    for index in indexes:
        index["expressions"] = [spaced(each) for each in index.get("expressions", ())]
        options = index.setdefault("dialect_options", {})
        options["postgresql_where"] = spaced(options.get("postgresql_where"))
    by_name = {"key": lambda each: each["name"]}
    return {
        "columns": columns,
        "key": inspector.get_pk_constraint(table, schema=schema),
        "foreign": sorted(inspector.get_foreign_keys(table, schema=schema), **by_name),
        "indexes": sorted(indexes, **by_name),
        "unique": sorted(inspector.get_unique_constraints(table, schema=schema), **by_name),
        "checks": [[each["name"], spaced(each["sqltext"])] for each in checks],
        "comment": inspector.get_table_comment(table, schema=schema),
    }


@step
def inspects_authors():
    return told_of(sa.inspect(engine), "authors")


@step
def inspects_articles():
    return told_of(sa.inspect(engine), "articles")


@step
def inspects_the_other_tables():
    inspector = sa.inspect(engine)
    return [told_of(inspector, name) for name in ("article_tags", "tags")] + [
        told_of(inspector, "nodes", "side")
    ]


@step
def inspects_enums_and_domains():
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE DOMAIN positive AS int DEFAULT 1 CHECK (VALUE > 0)")
    inspector = sa.inspect(engine)
    return inspector.get_enums(), inspector.get_domains()


@step
def inspects_many_tables_at_once():
    inspector = sa.inspect(engine)
    kind = sa.engine.reflection.ObjectKind.ANY
    return {
        "columns": {
            key[1]: [each["name"] for each in columns]
            for key, columns in inspector.get_multi_columns(kind=kind).items()
        },
        "keys": {key[1]: value for key, value in inspector.get_multi_pk_constraint().items()},
        "comments": {key[1]: value for key, value in inspector.get_multi_table_comment().items()},
    }


@step
def inserts_with_core():
    with engine.begin() as connection:
        tags = connection.execute(
            sa.insert(Tag).returning(Tag.id, Tag.name, sort_by_parameter_order=True),
            [{"name": f"tag {i}"} for i in range(5)],
        ).all()
        one = connection.execute(sa.insert(Author).values(name="Core"))
        return [tuple(tag) for tag in tags], tuple(one.inserted_primary_key)


@step
def updates_conflicts_and_deletes_with_core():
    upsert = pg.insert(Tag).values(name="tag 1")
    with engine.begin() as connection:
        changed = connection.execute(
            upsert.on_conflict_do_update(
                index_elements=[Tag.name], set_={"name": upsert.excluded.name + "!"}
            ).returning(Tag.name)
        ).scalar()
        nothing = connection.execute(
            pg.insert(Tag).values(name="tag 2").on_conflict_do_nothing()
        ).rowcount
        updated = connection.execute(
            sa.update(Tag).where(Tag.name == "tag 3").values(name=Tag.name + "?").returning(Tag)
        ).all()
        deleted = connection.execute(sa.delete(Tag).where(Tag.name.like("%4"))).rowcount
        return changed, nothing, [tuple(each) for each in updated], deleted


@step
def saves_objects_with_relationships():
    with Session(engine) as session:
        tags = session.scalars(sa.select(Tag).order_by(Tag.name)).all()
        author = Author(name="Ada", email="ada@x", mood=Mood.busy, born=datetime.date(1815, 12, 10))
        author.articles = [
            Article(
                title=f"Notes {i}",
                price=decimal.Decimal("12.50") * i,
                published=datetime.datetime(2026, 2, i + 1, 3, 4, 5, 678901, datetime.timezone.utc),
                words=["größer", 'with "quotes", commas', ""],
                extra={"a": [1, None, "x"], "n": 9007199254740993, "i": i},
                key=uuid.UUID(int=i),
                raw=bytes([0, 1, 254, 255]),
                score=i / 3,
                is_open=i % 2 == 0,
                lasts=datetime.timedelta(days=i, seconds=1.5),
                tags=tags[: i + 1],
            )
            for i in range(4)
        ]
        session.add_all([author, Author(name="Bob", email="bob@x")])
        session.add(Node(id=1, at=datetime.time(1, 2, 3), children=[Node(id=2), Node(id=3)]))
        session.commit()
        first = author.articles[1]
        return author.id, [each.id for each in author.articles], {
            column.key: getattr(first, column.key) for column in sa.inspect(Article).columns
        }


@step
def loads_relationships_in_every_way():
    told = []
    ways = (joinedload, selectinload, subqueryload)
    with Session(engine) as session:
        for way in ways:
            session.expunge_all()
            query = sa.select(Author).options(way(Author.articles), way(Author.articles, Article.tags))
            authors = session.scalars(query.order_by(Author.id)).unique().all()
            told.append([
                [author.name, [[each.title, [tag.name for tag in each.tags]] for each in author.articles]]
                for author in authors
            ])
        session.expunge_all()
        lazy = session.get(Node, 1)
        told.append([child.id for child in lazy.children])
        eager = sa.select(Author).join(Author.articles).options(contains_eager(Author.articles))
        found = session.scalars(eager.where(Article.is_open).order_by(Article.id)).unique().all()
        told.append([[each.title for each in author.articles] for author in found])
    return told


@step
def queries():
    other = aliased(Article)
    with Session(engine) as session:
        def rows(statement):
            return [tuple(row) for row in session.execute(statement)]

        ranked = sa.select(
            Article.title,
            sa.func.row_number().over(partition_by=Article.is_open, order_by=Article.id),
            sa.func.sum(Article.price).over(order_by=Article.id),
        ).order_by(Article.id)
        count = sa.func.count(Article.id)
        grouped = (
            sa.select(Author.name, count, sa.func.max(Article.price))
            .outerjoin(Author.articles).group_by(Author.name).having(count >= 0).order_by(Author.name)
        )
        tree = sa.select(Node.id, sa.literal(0).label("depth")).where(Node.id == 1).cte(recursive=True)
        tree = tree.union_all(
            sa.select(Node.id, tree.c.depth + 1).join(tree, Node.parent_id == tree.c.id)
        )
        exists = sa.select(Author.name).where(Author.articles.any(Article.tags.any(name="tag 2")))
        pairs = (
            sa.select(Article.id, other.id).join(other, Article.id < other.id)
            .where(other.price - Article.price <= 13).order_by(Article.id, other.id)
        )
        return {
            "ranked": rows(ranked),
            "grouped": rows(grouped),
            "tree": rows(sa.select(tree).order_by(tree.c.id)),
            "exists": rows(exists),
            "pairs": rows(pairs),
            "json": rows(
                sa.select(Article.extra["n"].as_numeric(20, 0), Article.extra["a"][2].astext)
                .where(Article.extra.contains({"i": 2}))
            ),
            "array": rows(sa.select(Article.words[1]).where(Article.words.any("größer")).limit(1)),
            "case": rows(
                sa.select(sa.case((Article.price > 20, "dear"), else_="cheap"), Article.doubled)
                .order_by(Article.id)
            ),
            "in": rows(sa.select(Author.id).where(Author.name.in_(["Ada", "Bob"])).order_by(Author.id)),
            "ilike": rows(sa.select(Author.name).where(Author.name.ilike("%A%"))),
            "union": rows(sa.union(sa.select(Author.name), sa.select(Tag.name)).order_by("name").limit(3)),
            "extract": rows(
                sa.select(sa.extract("year", Author.born), sa.func.date_trunc("month", Author.born))
                .where(Author.born.is_not(None))
            ),
            "tuple": rows(
                sa.select(Author.name).where(sa.tuple_(Author.name, Author.mood).in_([("Ada", Mood.busy)]))
            ),
            "lateral": rows(
                sa.select(Author.name, (last := sa.select(Article.title)
                    .where(Article.author_id == Author.id).order_by(Article.id.desc())
                    .limit(1).lateral()).c.title)
                .join(last, sa.true())
            ),
        }


@step
def fails_with_the_same_errors():
    told = []
    for author in (
        Author(name="Eve", email="ada@x"),
        Author(name="E"),
        Author(name="x" * 41),
        Author(name="Eve", articles=[Article(title=None)]),
    ):
        with Session(engine) as session:
            session.add(author)
            try:
                session.commit()
            except sa.exc.DBAPIError as error:
                diag = error.orig.diag
                told.append([type(error).__name__, diag.sqlstate, diag.constraint_name, diag.column_name])
    return told


@step
def uses_savepoints():
    with Session(engine) as session:
        session.add(Tag(name="kept"))
        try:
            with session.begin_nested():
                session.add(Tag(name="kept"))
        except IntegrityError as error:
            caught = error.orig.diag.constraint_name
        session.commit()
        return caught, session.scalar(sa.select(sa.func.count()).where(Tag.name == "kept"))


@step
def sets_isolation_levels_and_locks():
    told = []
    for level in ("READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"):
        with engine.connect().execution_options(isolation_level=level) as connection:
            told.append(connection.get_isolation_level())
    with Session(engine) as session:
        locked = session.scalars(
            sa.select(Author).where(Author.name == "Ada").with_for_update(skip_locked=True)
        ).all()
        told.append([each.name for each in locked])
    return told


@step
def streams_rows_from_a_cursor():
    with engine.connect().execution_options(yield_per=1000) as connection:
        numbers = connection.execute(sa.text("SELECT g FROM generate_series(1, 5000) AS g"))
        return sum(len(part) for part in numbers.partitions())


@step
def changes_and_deletes_objects():
    with Session(engine) as session:
        ada = session.scalars(sa.select(Author).filter_by(name="Ada")).one()
        ada.articles.pop()
        ada.articles[0].tags.clear()
        ada.articles[1].extra = None
        ada.name = "Ada L."
        session.commit()
        session.execute(sa.update(Article).values(price=Article.price + 1))
        session.commit()
        left = session.execute(
            sa.select(Article.title, Article.price, Article.extra).order_by(Article.id)
        )
        return [tuple(row) for row in left], session.scalar(
            sa.select(sa.func.count()).select_from(article_tags)
        )


@step
def makes_views_and_reflects_them():
    with engine.begin() as connection:
        connection.exec_driver_sql(
            "CREATE VIEW cheap AS SELECT id, title FROM articles WHERE price < 20"
        )
    inspector = sa.inspect(engine)
    return (
        inspector.get_view_names(),
        [[each["name"], repr(each["type"])] for each in inspector.get_columns("cheap")],
    )


@step
def reflects_metadata_and_makes_it_again():
    metadata = sa.MetaData()
    metadata.reflect(engine, views=True)
    metadata.reflect(engine, schema="side")
    tables = [table.fullname for table in metadata.sorted_tables]
    ddl = [
        spaced(str(sa.schema.CreateTable(table).compile(engine)))
        for table in metadata.sorted_tables
        if table.name not in ("cheap",)
    ]
    copy = sa.MetaData()
    with engine.begin() as connection:
        connection.execute(sa.schema.CreateSchema("copied"))
        for table in metadata.sorted_tables:
            if table.name in ("authors", "articles"):
                table.to_metadata(copy, schema="copied", referred_schema_fn=lambda *_: "copied")
        for table in copy.tables.values():
            table.indexes.clear()
        copy.create_all(connection)
    inspector = sa.inspect(engine)
    return tables, ddl, [told_of(inspector, name, "copied") for name in ("authors", "articles")]


@step
def drops_everything():
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP VIEW cheap")
        connection.exec_driver_sql("DROP DOMAIN positive")
        connection.execute(sa.schema.DropSchema("copied", cascade=True))
    Base.metadata.drop_all(engine)
    inspector = sa.inspect(engine)
    return inspector.get_table_names(), inspector.get_sequence_names(), inspector.get_enums()


transcript.run()
