import static java.util.stream.Collectors.toList;

import jakarta.persistence.CascadeType;
import jakarta.persistence.Column;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.FetchType;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Index;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.JoinTable;
import jakarta.persistence.LockModeType;
import jakarta.persistence.ManyToMany;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import jakarta.persistence.OptimisticLockException;
import jakarta.persistence.OrderBy;
import jakarta.persistence.SequenceGenerator;
import jakarta.persistence.Table;
import jakarta.persistence.UniqueConstraint;
import jakarta.persistence.Version;
import java.math.BigDecimal;
import java.sql.Connection;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.annotations.BatchSize;
import org.hibernate.annotations.CreationTimestamp;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.cfg.Configuration;
import org.hibernate.query.Order;
import org.hibernate.query.SelectionQuery;
import org.hibernate.type.SqlTypes;

/** Hibernate: schemas made, changed and validated; entities, HQL, locks, batches. */
public final class HibernateSession {
  enum Kind {
    CAT,
    DOG
  }

  enum Mood {
    calm,
    wild
  }

  @Embeddable
  public static class Address {
    String street;

    @Column(length = 5)
    String zip;

    public Address() {}

    Address(String street, String zip) {
      this.street = street;
      this.zip = zip;
    }
  }

  @Entity(name = "Person")
  @Table(
      name = "person",
      indexes = @Index(name = "person_born", columnList = "born, name desc"),
      uniqueConstraints = @UniqueConstraint(name = "person_email", columnNames = "email"))
  public static class Person {
    @Id
    @GeneratedValue(strategy = GenerationType.SEQUENCE, generator = "people")
    @SequenceGenerator(name = "people", sequenceName = "person_numbers", allocationSize = 10)
    Long id;

    @Column(nullable = false, length = 80)
    String name;

    String email;
    LocalDate born;

    @Embedded Address address;

    @Version int version;

    @JdbcTypeCode(SqlTypes.JSON)
    Map<String, Object> doc = new TreeMap<>();

    @ElementCollection
    @BatchSize(size = 10)
    @OrderBy
    Set<String> phones = new LinkedHashSet<>();

    @OneToMany(mappedBy = "owner", cascade = CascadeType.ALL, orphanRemoval = true)
    @OrderBy("id")
    List<Pet> pets = new ArrayList<>();

    public Person() {}

    Person(String name, String email) {
      this.name = name;
      this.email = email;
    }

    Pet add(Pet pet) {
      pet.owner = this;
      pets.add(pet);
      return pet;
    }
  }

  @Entity(name = "Pet")
  @Table(name = "pet")
  public static class Pet {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    Long id;

    String name;

    @Enumerated(EnumType.STRING)
    Kind kind;

    @Enumerated(EnumType.STRING)
    @JdbcTypeCode(SqlTypes.NAMED_ENUM)
    Mood mood;

    Integer weight;

    String[] words = {};
    int[] marks = {};

    @Column(precision = 12, scale = 3)
    BigDecimal price;

    @ManyToOne(fetch = FetchType.LAZY)
    Person owner;

    @ManyToMany
    @JoinTable(
        name = "pet_toy",
        joinColumns = @JoinColumn(name = "pet_id"),
        inverseJoinColumns = @JoinColumn(name = "toy_id"))
    @OrderBy("label")
    Set<Toy> toys = new LinkedHashSet<>();

    public Pet() {}

    Pet(String name, Kind kind, Mood mood, Integer weight) {
      this.name = name;
      this.kind = kind;
      this.mood = mood;
      this.weight = weight;
    }
  }

  @Entity(name = "Toy")
  @Table(name = "toy")
  public static class Toy {
    @Id @GeneratedValue UUID id;
    String label;
    boolean loud;
    double size;
    byte[] picture;
    Instant made;
    LocalDateTime sold;

    @CreationTimestamp Instant created;

    public Toy() {}

    Toy(String label, boolean loud) {
      this.label = label;
      this.loud = loud;
    }
  }

  @Entity(name = "Event")
  @Inheritance(strategy = InheritanceType.JOINED)
  public static class Event {
    @Id
    @GeneratedValue(strategy = GenerationType.SEQUENCE)
    Long id;

    int rank;
  }

  @Entity(name = "Walk")
  public static class Walk extends Event {
    double length;
  }

  @Entity(name = "Meal")
  public static class Meal extends Event {
    String food;
  }

  /** As a later version of the application has it. */
  @Entity(name = "LaterToy")
  @Table(name = "toy", indexes = @Index(name = "toy_label", columnList = "label"))
  public static class LaterToy {
    @Id UUID id;
    String label;
    Integer stars;

    @ManyToOne
    @JoinColumn(name = "spare_of")
    LaterToy spareOf;
  }

  private static final Class<?>[] ENTITIES = {
    Person.class, Pet.class, Toy.class, Event.class, Walk.class, Meal.class
  };

  private static SessionFactory factory;
  private static long adaId;

  private static SessionFactory open(String how, Class<?>... entities) {
    Configuration configuration = new Configuration();
    for (Class<?> each : entities) configuration.addAnnotatedClass(each);
    configuration
        .setProperty("hibernate.connection.url", Transcript.url())
        .setProperty("hibernate.connection.username", System.getenv("PGUSER"))
        .setProperty("hibernate.connection.password", "")
        .setProperty("hibernate.connection.pool_size", "4")
        .setProperty("hibernate.hbm2ddl.auto", how)
        .setProperty("hibernate.jdbc.batch_size", "20")
        .setProperty("hibernate.order_inserts", "true")
        .setProperty("hibernate.jdbc.time_zone", "UTC");
    return configuration.buildSessionFactory();
  }

  private static <Result> Result in(Function<Session, Result> work) {
    return factory.fromTransaction(work);
  }

  private static void does(Consumer<Session> work) {
    factory.inTransaction(work);
  }

  private static List<?> ask(String hql, Object... parameters) {
    return in(
        session -> {
          SelectionQuery<Object> query = session.createSelectionQuery(hql, Object.class);
          for (int i = 0; i < parameters.length; i++) query.setParameter(i + 1, parameters[i]);
          return query.getResultList();
        });
  }

  public static void main(String[] args) {
    System.setProperty("org.jboss.logging.provider", "slf4j");
    schema();
    entities();
    queries();
    changes();
    locks();
    later();
    if (factory != null) factory.close();
  }

  private static void schema() {
    Transcript.step(
        "creates a schema",
        () -> {
          factory = open("create", ENTITIES);
          return described();
        });
    Transcript.step("validates it, twice", () -> {
      open("validate", ENTITIES).close();
      open("validate", ENTITIES).close();
      return null;
    });
    Transcript.step("updates nothing", () -> {
      open("update", ENTITIES).close();
      return described();
    });
  }

  /** Columns, keys and indexes, as the driver's metadata has them. */
  private static Object described() throws Exception {
    Map<String, Object> told = new LinkedHashMap<>();
    try (Connection connection = Transcript.connect()) {
      var meta = connection.getMetaData();
      told.put("tables", Transcript.rowsOf(meta.getTables(null, "public", null, new String[] {"TABLE"})));
      told.put("columns", Transcript.rowsOf(meta.getColumns(null, "public", "%", null)));
      for (String table : List.of("person", "pet", "toy", "pet_toy", "event", "walk")) {
        told.put("key of " + table, Transcript.rowsOf(meta.getPrimaryKeys(null, "public", table)));
        told.put("refers " + table, Transcript.rowsOf(meta.getImportedKeys(null, "public", table)));
        var indexes = meta.getIndexInfo(null, "public", table, false, true);
        List<Object> rows = new ArrayList<>();
        // Of estimates each server has its own.
        while (indexes.next()) {
          rows.add(List.of(
              indexes.getBoolean("NON_UNIQUE"),
              indexes.getString("INDEX_NAME"),
              indexes.getInt("TYPE"),
              indexes.getInt("ORDINAL_POSITION"),
              indexes.getString("COLUMN_NAME"),
              indexes.getString("ASC_OR_DESC")));
        }
        told.put("indexes of " + table, rows);
      }
      told.put("sequences", Transcript.query(
          connection,
          "SELECT sequence_name, start_value, increment FROM information_schema.sequences"
              + " ORDER BY 1"));
    }
    return told;
  }

  private static void entities() {
    Transcript.step("persists a graph", () -> in(session -> {
      Toy ball = new Toy("ball", false);
      ball.made = Instant.parse("2026-02-03T04:05:06.789012Z");
      ball.sold = LocalDateTime.parse("2026-02-03T04:05:06.7");
      ball.picture = new byte[] {0, 1, -1};
      ball.size = 1.25;
      Toy bell = new Toy("bell", true);
      session.persist(ball);
      session.persist(bell);
      Person ada = new Person("Ada", "ada@example.com");
      ada.born = LocalDate.of(1990, 2, 28);
      ada.address = new Address("Main", "12345");
      ada.doc.put("tags", List.of("a", "b"));
      ada.doc.put("big", 9007199254740993L);
      ada.phones.add("1");
      ada.phones.add("2");
      Pet tom = ada.add(new Pet("Tom", Kind.CAT, Mood.wild, 4));
      tom.words = new String[] {"a,b", null, "\"q\""};
      tom.marks = new int[] {3, 1, 2};
      tom.price = new BigDecimal("12.345");
      tom.toys.add(ball);
      tom.toys.add(bell);
      ada.add(new Pet("Rex", Kind.DOG, Mood.calm, 30)).toys.add(ball);
      session.persist(ada);
      Person bob = new Person("Bob", null);
      bob.add(new Pet("Ada", Kind.DOG, null, null));
      session.persist(bob);
      session.flush();
      adaId = ada.id;
      return List.of(ada.id, tom.id, bob.id);
    }));
    Transcript.step("reads it back", () -> in(session -> {
      Person ada = session.find(Person.class, adaId);
      Pet tom = ada.pets.get(0);
      Toy ball = tom.toys.iterator().next();
      return List.of(
          ada.name, ada.born, ada.address.zip, ada.doc, List.copyOf(ada.phones), ada.version,
          tom.kind, tom.mood, tom.words, IntStream.of(tom.marks).boxed().collect(toList()),
          tom.price, tom.toys.stream().map(toy -> toy.label).collect(toList()),
          ball.made, ball.sold, ball.picture, ball.size, ball.loud, ball.created != null,
          ada.pets.stream().map(pet -> pet.name).collect(toList()));
    }));
    Transcript.step("changes it, and counts versions", () -> {
      does(session -> {
        Person ada = session.find(Person.class, adaId);
        ada.doc.put("more", Map.of("x", 1));
        ada.phones.remove("1");
        ada.pets.remove(1);
        ada.address.zip = "54321";
      });
      return in(session -> {
        Person ada = session.find(Person.class, adaId);
        return List.of(ada.version, ada.doc, List.copyOf(ada.phones), ada.pets.size(), ada.address.zip);
      });
    });
    Transcript.step("inserts in batches", () -> {
      does(session -> {
        for (int i = 0; i < 60; i++) {
          Person each = new Person("p" + i, "p" + i + "@example.com");
          each.born = LocalDate.of(2000, 1, 1).plusDays(i % 7);
          session.persist(each);
          Meal meal = new Meal();
          meal.rank = i % 5;
          meal.food = i % 2 == 0 ? "fish" : null;
          session.persist(meal);
          Walk walk = new Walk();
          walk.rank = i % 3;
          walk.length = i / 4.0;
          session.persist(walk);
        }
      });
      return ask("select count(*), min(id), max(id) from Person");
    });
    Transcript.step("a stateless session upserts", () -> {
      try (var session = factory.openStatelessSession()) {
        var transaction = session.beginTransaction();
        Meal meal = new Meal();
        meal.id = 7L;
        meal.rank = 99;
        meal.food = "soup";
        session.upsert(meal);
        transaction.commit();
      }
      return ask("select id, rank, food from Meal where id = 7");
    });
    Transcript.step("finds by natural order of subclasses", () ->
        ask("select type(e), count(*), sum(e.rank) from Event e group by type(e) order by 2, 3")
            .stream().map(row -> ((Object[]) row)[1] + " " + ((Object[]) row)[2]).collect(toList()));
  }

  private static void queries() {
    Transcript.step("joins", () -> ask(
        "select p.name, o.name, t.label from Pet p join p.owner o left join p.toys t"
            + " where o.name <> ?1 order by p.id, t.label", "nobody"));
    Transcript.step("fetches associations", () -> in(session ->
        session.createSelectionQuery(
                "select distinct p from Person p left join fetch p.pets where p.id = ?1",
                Person.class)
            .setParameter(1, adaId).getSingleResult().pets.size()));
    Transcript.step("aggregates", () -> ask(
        "select born, count(*), max(name), sum(length(name)), avg(id) from Person"
            + " where born is not null group by born having count(*) > 3 order by born"));
    Transcript.step("pages", () -> in(session ->
        session.createSelectionQuery("select name from Person order by name", String.class)
            .setFirstResult(5).setMaxResults(4).getResultList()));
    Transcript.step("pages by key", () -> ask(
        "select born, id from Person where (born, id) > (local date, 3) order by born, id limit 3"));
    Transcript.step("windows", () -> ask(
        "select name, row_number() over (partition by born order by name),"
            + " rank() over (order by born), sum(id) over (order by id rows between 1 preceding"
            + " and current row) from Person where born < ?1 order by name",
        LocalDate.of(2000, 1, 3)));
    Transcript.step("filters and lists within aggregates", () -> ask(
        "select count(*) filter (where length(name) > 2),"
            + " listagg(name, ',') within group (order by name desc) filter (where id < 40)"
            + " from Person"));
    Transcript.step("WITH, and a recursion", () -> ask(
        "with t as (select p.id as id, p.name as name from Person p where p.name like 'p1%')"
            + " select t.name from t t order by t.id limit 3"));
    Transcript.step("set operations and subqueries", () -> List.of(
        ask("select name from Person where id < 5 union select name from Pet")
            .stream().map(String::valueOf).sorted().collect(toList()),
        ask("select name from Pet intersect select name from Person"),
        ask("select o.name from Person o where exists (select 1 from Pet p where p.owner = o)"
            + " and (select count(*) from Pet p where p.owner = o) >= 1 order by o.name"),
        ask("select name from Person where id in (select max(id) from Person)"
            + " or name = any (select name from Pet) order by name")));
    Transcript.step("functions", () -> ask(
        "select upper(name), concat(name, '-', cast(id as string)), coalesce(email, 'none'),"
            + " substring(name, 2, 2), locate('a', name), trim(both 'A' from name),"
            + " left(name, 1), lpad(name, 5, '.'), mod(id, 7), abs(-1.5), round(2.345, 2), sign(-3),"
            + " nullif(name, 'Bob'), case when id > 1 then 'b' else 'a' end,"
            + " replace(name, 'd', 'D'), power(2, 3), sqrt(16.0), floor(1.7), greatest(1, 2)"
            + " from Person where id < 3 order by id"));
    Transcript.step("dates", () -> ask(
        "select year(born), extract(month from born), born + 1 day, born - 1 month,"
            + " (local date - born) by day > 0, trunc(born, month), extract(day of week from born),"
            + " format(born as 'yyyy-MM-dd'), extract(week from born)"
            + " from Person where born is not null order by id limit 2"));
    Transcript.step("arrays", () -> ask(
        "select array_length(words), array_contains(marks, 3), array_position(marks, 1),"
            + " array_append(marks, 9), marks[1], array_to_string(marks, '-'),"
            + " array_slice(marks, 1, 2) from Pet where array_length(marks) > 0"));
    Transcript.step("array_agg", () -> ask(
        "select array_agg(id) within group (order by id desc) from Pet"));
    Transcript.step("enums and embeddables in conditions", () -> ask(
        "select p.name, p.mood from Pet p where p.kind = CAT and p.mood = wild"
            + " and p.owner.address.zip = ?1 and p.owner.address.street like 'M%' escape '!'",
        "54321"));
    Transcript.step("a native query", () -> in(session ->
        session.createNativeQuery(
                "select doc->>'big', doc->'tags'->>1, doc @> '{\"more\": {}}' from person"
                    + " where id = :id", Object[].class)
            .setParameter("id", adaId).getResultList()));
    Transcript.step("criteria", () -> in(session -> {
      var builder = session.getCriteriaBuilder();
      var query = builder.createQuery(String.class);
      var person = query.from(Person.class);
      query.select(builder.concat(person.get("name"), "!"))
          .where(builder.or(
              builder.like(builder.lower(person.get("name")), "a%"),
              builder.in(person.get("name")).value("p3").value("p4")))
          .orderBy(builder.desc(person.get("name")));
      return session.createQuery(query).getResultList();
    }));
    Transcript.step("streams with a cursor", () -> in(session -> {
      try (var rows = session.createSelectionQuery("from Person order by id", Person.class)
          .setFetchSize(7).getResultStream()) {
        return rows.mapToLong(each -> each.id).sum();
      }
    }));
    Transcript.step("counts pages and results", () -> in(session ->
        session.createSelectionQuery("from Person where born is not null", Person.class)
            .getResultCount()));
  }

  private static void changes() {
    Transcript.step("updates and deletes by query", () -> in(session -> List.of(
        session.createMutationQuery(
            "update Person set name = upper(name), version = version + 1 where id between 10 and 20")
            .executeUpdate(),
        session.createMutationQuery("update versioned Person p set p.email = null"
            + " where p.name in (select q.name from Pet q)").executeUpdate(),
        session.createMutationQuery("delete from Pet where weight > 90").executeUpdate())));
    Transcript.step("inserts and updates joined entities by query", () -> {
      List<Integer> told = in(session -> List.of(
          session.createMutationQuery("insert into Meal (rank, food)"
              + " select cast(p.id as Integer) + 100, p.name from Person p"
              + " where p.id between 10 and 20").executeUpdate(),
          session.createMutationQuery("update Meal set rank = rank + 50, food = lower(food)"
              + " where rank between 111 and 115").executeUpdate()));
      return List.of(told, ask("select rank, food from Meal where rank > 100 order by rank"));
    });
    Transcript.step("deletes joined entities by query", () -> {
      List<Integer> told = in(session -> List.of(
          session.createMutationQuery("delete from Meal where rank > 150").executeUpdate(),
          session.createMutationQuery("delete from Event where rank > 100").executeUpdate()));
      return List.of(told, ask("select type(e), count(*) from Event e group by type(e) order by 2"));
    });
    Transcript.step("inserts or does nothing", () -> in(session -> List.of(
        session.createMutationQuery(
            "insert into Person (id, name, email, version) values (1000, 'New', 'p1@example.com', 0)"
                + " on conflict (email) do nothing").executeUpdate(),
        session.createMutationQuery(
            "insert into Person (id, name, email, version) values (1000, 'New', 'p2@example.com', 0)"
                + " on conflict (email) do update set name = excluded.name").executeUpdate())));
    Transcript.step("told constraints", () -> {
      List<String> told = new ArrayList<>();
      for (String email : List.of("p5@example.com", "x".repeat(300))) {
        try {
          does(session -> session.persist(new Person("Twin", email)));
        } catch (Exception failure) {
          told.add(failure.getClass().getSimpleName() + " "
              + (failure instanceof org.hibernate.exception.ConstraintViolationException known
                  ? known.getConstraintName() + " " + known.getKind() : ""));
        }
      }
      return told;
    });
    Transcript.step("rolls back to a savepoint", () -> in(session -> {
      session.doWork(connection -> {
        var savepoint = connection.setSavepoint("here");
        Transcript.execute(connection, "delete from pet_toy");
        connection.rollback(savepoint);
      });
      return session.createNativeQuery("select count(*) from pet_toy", Long.class)
          .getSingleResult();
    }));
    Transcript.step("removes a graph", () -> {
      does(session -> session.remove(session.find(Person.class, adaId)));
      return ask("select count(*) from Pet");
    });
  }

  private static void locks() {
    Transcript.step("an optimistic lock fails the second writer", () -> {
      try (Session one = factory.openSession(); Session two = factory.openSession()) {
        // Above it Firn's refusal is that of a serializable transaction.
        for (Session each : List.of(one, two)) {
          each.doWork(
              on -> on.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED));
          each.beginTransaction();
        }
        Person mine = one.createSelectionQuery("from Person where name = 'p40'", Person.class)
            .getSingleResult();
        Person theirs = two.find(Person.class, mine.id);
        mine.email = "first";
        one.getTransaction().commit();
        theirs.email = "second";
        try {
          two.getTransaction().commit();
          return "no failure";
        } catch (OptimisticLockException failure) {
          return failure.getClass().getSimpleName();
        }
      }
    });
    Transcript.step("a queue: SKIP LOCKED", () -> {
      try (Session one = factory.openSession(); Session two = factory.openSession()) {
        List<Object> told = new ArrayList<>();
        for (Session each : List.of(one, two)) {
          each.beginTransaction();
          told.add(each
              .createSelectionQuery("from Person where id > 30 order by id", Person.class)
              .setMaxResults(2)
              .setLockMode(LockModeType.PESSIMISTIC_WRITE)
              .setHint("jakarta.persistence.lock.timeout", -2)
              .getResultList().stream().map(person -> person.id).collect(toList()));
        }
        one.getTransaction().rollback();
        two.getTransaction().rollback();
        return told;
      }
    });
    Transcript.step("NOWAIT, and locks of one entity", () -> {
      try (Session one = factory.openSession(); Session two = factory.openSession()) {
        one.beginTransaction();
        two.beginTransaction();
        Person mine = one.find(Person.class, 31L, LockModeType.PESSIMISTIC_WRITE);
        String told;
        try {
          two.find(Person.class, 31L, LockModeType.PESSIMISTIC_WRITE,
              Map.of("jakarta.persistence.lock.timeout", 0));
          told = "no failure";
        } catch (Exception failure) {
          told = failure.getClass().getSimpleName();
        }
        one.lock(mine, LockModeType.PESSIMISTIC_FORCE_INCREMENT);
        one.getTransaction().commit();
        two.getTransaction().rollback();
        return List.of(told, mine.version);
      }
    });
  }

  private static void later() {
    Transcript.step("validation names what is missing", () -> {
      try {
        open("validate", LaterToy.class).close();
        return "no failure";
      } catch (Exception failure) {
        return failure.getMessage();
      }
    });
    Transcript.step("updates the schema: a column, an index, a key", () -> {
      open("update", LaterToy.class).close();
      open("validate", LaterToy.class).close();
      open("update", LaterToy.class).close();
      return described();
    });
    Transcript.step("validates strings, enums and numbers of other types", () -> {
      try (Connection connection = Transcript.connect()) {
        Transcript.execute(connection, "alter table toy alter column stars type text");
      }
      try {
        open("validate", LaterToy.class).close();
        return "no failure";
      } catch (Exception failure) {
        return failure.getMessage();
      }
    });
    Transcript.step("drops the schema", () -> {
      factory.close();
      factory = null;
      open("create-drop", ENTITIES).close();
      try (Connection connection = Transcript.connect()) {
        return Transcript.rowsOf(connection.getMetaData()
            .getTables(null, "public", null, new String[] {"TABLE", "SEQUENCE"}));
      }
    });
  }
}
