import static org.jooq.impl.DSL.*;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.JSONB;
import org.jooq.Record;
import org.jooq.Result;
import org.jooq.SQLDialect;
import org.jooq.Table;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

/** jOOQ: metadata, and queries of its DSL. */
public final class JooqSession {
  private static final Table<?> PERSON = table(name("person"));
  private static final Field<Integer> ID = field(name("person", "id"), SQLDataType.INTEGER);
  private static final Field<String> NAME = field(name("person", "name"), SQLDataType.VARCHAR);
  private static final Table<?> PET = table(name("pet"));
  private static final Field<Integer> PET_ID = field(name("pet", "id"), SQLDataType.INTEGER);
  private static final Field<Integer> OWNER = field(name("pet", "owner"), SQLDataType.INTEGER);
  private static final Field<String> PET_NAME = field(name("pet", "name"), SQLDataType.VARCHAR);
  private static final Field<Integer> WEIGHT = field(name("pet", "weight"), SQLDataType.INTEGER);

  private static DSLContext db;

  private static List<Object> told(Result<? extends Record> result) {
    List<Object> rows = new ArrayList<>();
    for (Record each : result) rows.add(each.intoList().stream().map(String::valueOf).toList());
    return rows;
  }

  public static void main(String[] args) throws Exception {
    System.setProperty("org.jooq.no-logo", "true");
    System.setProperty("org.jooq.no-tips", "true");
    try (Connection connection = Transcript.connect()) {
      db = DSL.using(connection, SQLDialect.POSTGRES);
      schema();
      changes();
      queries();
    }
  }

  private static void schema() {
    Transcript.step("creates a schema", () -> {
      db.execute("create type mood as enum ('calm', 'wild')");
      db.createTable("person")
          .column("id", SQLDataType.INTEGER.identity(true))
          .column("name", SQLDataType.VARCHAR(80).notNull())
          .column("doc", SQLDataType.JSONB)
          .column("words", SQLDataType.VARCHAR.array())
          .constraints(primaryKey("id"), unique("name"))
          .execute();
      db.createTable("pet")
          .column("id", SQLDataType.INTEGER.identity(true))
          .column("owner", SQLDataType.INTEGER.notNull())
          .column("name", SQLDataType.VARCHAR.notNull())
          .column("weight", SQLDataType.INTEGER)
          .constraints(
              primaryKey("id"),
              foreignKey("owner").references("person", "id").onDeleteCascade(),
              constraint("pet_weight").check(WEIGHT.gt(0)))
          .execute();
      db.alterTable("pet").addColumn("price", SQLDataType.NUMERIC(10, 2).defaultValue(inline(
          new java.math.BigDecimal("1.5")))).execute();
      db.execute("alter table pet add column mood mood");
      db.createIndex("pet_owner").on("pet", "owner").execute();
      db.createView("heavy").as(select(PET_ID, PET_NAME).from(PET).where(WEIGHT.gt(10))).execute();
      db.createSequence("tickets").execute();
      return null;
    });
    Transcript.step("reads metadata", () -> {
      Map<String, Object> tables = new LinkedHashMap<>();
      for (Table<?> each : db.meta().filterSchemas(s -> s.getName().equals("public")).getTables()) {
        tables.put(each.getName(), List.of(
            each.fieldStream().map(f -> f.getName() + " " + f.getDataType().getTypeName()
                + (f.getDataType().nullable() ? "" : " not null")).toList(),
            String.valueOf(each.getPrimaryKey()),
            each.getReferences().stream().map(String::valueOf).sorted().toList(),
            each.getIndexes().stream().map(index -> index.getName()).sorted().toList()));
      }
      return tables;
    });
  }

  private static void changes() {
    Transcript.step("inserts, and is told the keys", () -> told(db
        .insertInto(PERSON, NAME, field(name("doc"), JSONB.class))
        .values("Ada", JSONB.valueOf("{\"a\": [1, 2]}"))
        .values("Bob", null)
        .returningResult(ID, NAME, field(name("doc"))).fetch()));
    Transcript.step("inserts or updates", () -> List.of(
        db.insertInto(PERSON, NAME).values("Ada").onConflict(field(name("name"))).doNothing()
            .execute(),
        told(db.insertInto(PERSON, NAME).values("Ada").onConflict(field(name("name")))
            .doUpdate().set(field(name("name"), String.class), excluded(
                field(name("name"), String.class)).concat("!"))
            .returningResult(ID, NAME).fetch())));
    Transcript.step("batches", () -> {
      var batch = db.batch(db.insertInto(PET, OWNER, PET_NAME, WEIGHT)
          .values((Integer) null, null, null));
      for (int i = 1; i <= 20; i++) batch.bind(i % 2 + 1, "pet" + i, i);
      return java.util.Arrays.stream(batch.execute()).sum();
    });
    Transcript.step("transactions, nested ones roll back alone", () -> {
      db.transaction(outer -> {
        outer.dsl().update(PET).set(WEIGHT, WEIGHT.plus(100)).where(PET_ID.eq(1)).execute();
        try {
          outer.dsl().transaction(inner -> {
            inner.dsl().deleteFrom(PET).execute();
            inner.dsl().insertInto(PET, OWNER, PET_NAME).values(99, "none").execute();
          });
        } catch (DataAccessException expected) {
          // Its savepoint is rolled back.
        }
      });
      return told(db.select(count(), max(WEIGHT)).from(PET).fetch());
    });
    Transcript.step("tells errors", () -> {
      List<String> told = new ArrayList<>();
      for (String sql : List.of("insert into pet (owner, name, weight) values (1, 'x', 0)",
          "insert into person (name) values ('Bob')", "select nothing from person")) {
        try {
          db.execute(sql);
        } catch (DataAccessException failure) {
          told.add(failure.sqlState() + " " + failure.sqlStateClass());
        }
      }
      return told;
    });
    Transcript.step("updates and deletes with RETURNING", () -> List.of(
        told(db.update(PET).set(PET_NAME, upper(PET_NAME)).from(PERSON)
            .where(OWNER.eq(ID)).and(PET_ID.le(2)).returningResult(PET_ID, PET_NAME).fetch()),
        told(db.deleteFrom(PET).where(PET_ID.eq(20)).returningResult(PET_ID).fetch())));
  }

  private static void queries() {
    Transcript.step("joins and aggregates", () -> told(db
        .select(NAME, count(PET_ID), sum(WEIGHT), avg(WEIGHT), listAgg(PET_NAME, ",")
            .withinGroupOrderBy(PET_ID.desc()), count().filterWhere(WEIGHT.gt(10)))
        .from(PERSON).leftJoin(PET).on(OWNER.eq(ID))
        .groupBy(NAME).having(count().gt(1)).orderBy(NAME).fetch()));
    Transcript.step("WITH, also recursive", () -> List.of(
        told(db.with("t", "a").as(select(PET_ID).from(PET).where(PET_ID.lt(4)))
            .select(field(name("t", "a"))).from(name("t")).orderBy(1).fetch()),
        told(db.withRecursive("n", "i").as(select(inline(1)).unionAll(
            select(field(name("n", "i"), Integer.class).plus(1)).from(name("n"))
                .where(field(name("n", "i"), Integer.class).lt(4))))
            .select(sum(field(name("n", "i"), Integer.class))).from(name("n")).fetch())));
    Transcript.step("windows", () -> told(db
        .select(PET_ID, rowNumber().over(partitionBy(OWNER).orderBy(WEIGHT.desc())),
            lag(PET_ID, 1, 0).over(orderBy(PET_ID)),
            sum(WEIGHT).over(orderBy(PET_ID).rowsBetweenPreceding(1).andCurrentRow()),
            percentRank().over(orderBy(WEIGHT)), ntile(3).over(orderBy(PET_ID)))
        .from(PET).orderBy(PET_ID).limit(6).fetch()));
    Transcript.step("seeks, and pages", () -> List.of(
        told(db.select(OWNER, PET_ID).from(PET).orderBy(OWNER, PET_ID).seek(1, 15).limit(3)
            .fetch()),
        told(db.select(OWNER, PET_ID).from(PET).orderBy(OWNER.desc(), PET_ID).seek(2, 15)
            .limit(3).fetch()),
        told(db.select(PET_ID).from(PET).where(row(OWNER, PET_ID).gt(1, 15))
            .orderBy(PET_ID).offset(1).limit(2).fetch())));
    Transcript.step("MULTISET and nested rows", () -> told(db
        .select(NAME, multiset(select(PET_NAME, WEIGHT).from(PET).where(OWNER.eq(ID))
            .and(PET_ID.lt(6)).orderBy(PET_ID)), row(ID, NAME))
        .from(PERSON).orderBy(ID).fetch()));
    Transcript.step("JSON, arrays, CASE, grouping sets", () -> List.of(
        told(db.select(jsonArrayAgg(PET_NAME).orderBy(PET_ID), jsonObjectAgg(PET_NAME, WEIGHT),
            arrayAgg(PET_ID).orderBy(PET_ID.desc())).from(PET).where(PET_ID.lt(4)).fetch()),
        told(db.select(OWNER, grouping(OWNER), count()).from(PET).groupBy(rollup(OWNER))
            .orderBy(OWNER.asc().nullsLast()).fetch()),
        told(db.select(when(WEIGHT.gt(10), "big").otherwise("small"), coalesce(WEIGHT, inline(0)),
            nullif(WEIGHT, inline(3)), PET_NAME.like("P%"), position(PET_NAME, "t"),
            substring(PET_NAME, 2, 2), lpad(PET_NAME, 8, "."), WEIGHT.mod(3), WEIGHT.cast(
                SQLDataType.NUMERIC(8, 2))).from(PET).orderBy(PET_ID).limit(3).fetch())));
    Transcript.step("sets, EXISTS, quantified conditions", () -> List.of(
        told(db.select(PET_ID).from(PET).where(PET_ID.lt(3)).union(select(ID).from(PERSON))
            .orderBy(1).fetch()),
        told(db.select(NAME).from(PERSON).whereExists(selectOne().from(PET).where(OWNER.eq(ID)))
            .orderBy(NAME).fetch()),
        told(db.select(PET_ID).from(PET).where(PET_ID.eq(any(1, 2))).or(WEIGHT.ge(all(
            select(WEIGHT).from(PET)))).orderBy(PET_ID).fetch()),
        told(db.select(PET_ID).from(PET).where(WEIGHT.isDistinctFrom(3)).orderBy(PET_ID)
            .limit(2).fetch())));
    Transcript.step("locks, sequences, a lazy cursor", () -> List.of(
        told(db.select(PET_ID).from(PET).orderBy(PET_ID).limit(2).forUpdate().skipLocked()
            .fetch()),
        told(db.select(sequence(name("tickets"), Long.class).nextval()).fetch()),
        db.select(PET_ID).from(PET).fetchSize(4).fetchStream().count()));
    Transcript.step("a lateral join, VALUES, generate_series", () -> List.of(
        told(db.select(NAME, field(name("l", "m"))).from(PERSON, lateral(
            select(max(WEIGHT).as("m")).from(PET).where(OWNER.eq(ID))).as("l")).orderBy(ID)
            .fetch()),
        told(db.select().from(values(row(1, "a"), row(2, "b")).as("v", "x", "y")).fetch()),
        told(db.select().from(generateSeries(1, 3)).fetch())));
    Transcript.step("merges", () -> db
        .mergeInto(PERSON).using(selectOne()).on(NAME.eq("Cid"))
        .whenNotMatchedThenInsert(NAME).values("Cid").execute());
  }
}
