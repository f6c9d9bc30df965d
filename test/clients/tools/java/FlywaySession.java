import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.flywaydb.database.postgresql.PostgreSQLConfigurationExtension;

/** Flyway: migrations by version, repeated ones, failures, repair, a baseline, clean. */
public final class FlywaySession {
  private static Path folder;

  private static Flyway flyway(String... schemas) {
    FluentConfiguration configuration = Flyway.configure();
    // A lock of a transaction would wait for CREATE INDEX CONCURRENTLY, and the other way.
    configuration
        .getConfigurationExtension(PostgreSQLConfigurationExtension.class)
        .setTransactionalLock(false);
    return configuration
        .dataSource(Transcript.url(), System.getenv("PGUSER"), "")
        .locations("filesystem:" + folder)
        .schemas(schemas)
        .cleanDisabled(false)
        .load();
  }

  private static void write(String name, String sql) throws Exception {
    Files.writeString(folder.resolve(name), sql);
  }

  private static Object history(String schema) throws Exception {
    try (Connection connection = Transcript.connect()) {
      return Transcript.query(
          connection,
          "SELECT installed_rank, version, description, type, script, checksum, success FROM "
              + schema + ".flyway_schema_history ORDER BY installed_rank");
    }
  }

  public static void main(String[] args) throws Exception {
    folder = Files.createTempDirectory("firn-flyway-");
    try {
      steps();
    } finally {
      try (var files = Files.list(folder)) {
        for (Path each : files.toList()) Files.delete(each);
      }
      Files.delete(folder);
    }
  }

  private static void steps() throws Exception {
    write("V1__people.sql", """
        CREATE TABLE person (
          id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
          email varchar(200) NOT NULL UNIQUE,
          made timestamptz NOT NULL DEFAULT now()
        );
        CREATE INDEX person_made ON person (made DESC) WHERE made > '2020-01-01';
        COMMENT ON TABLE person IS 'who';
        INSERT INTO person (email) VALUES ('a;b@example.com'), ('c''d@example.com');
        """);
    write("V2__mood.sql", """
        CREATE TYPE mood AS ENUM ('calm', 'wild');
        ALTER TABLE person ADD COLUMN mood mood NOT NULL DEFAULT 'calm';
        -- A comment; with a semicolon.
        UPDATE person SET mood = 'wild' WHERE id = 1;
        """);
    write("R__names.sql", "CREATE OR REPLACE VIEW mail AS SELECT email FROM person;");
    Transcript.step("migrates", () -> {
      var result = flyway().migrate();
      return List.of(result.migrationsExecuted, result.targetSchemaVersion, history("public"));
    });
    Transcript.step("has nothing to do", () -> flyway().migrate().migrationsExecuted);
    Transcript.step("validates", () -> {
      flyway().validate();
      return null;
    });
    Transcript.step("repeats what changed, and goes on", () -> {
      write("R__names.sql", "CREATE OR REPLACE VIEW mail AS SELECT email, mood FROM person;");
      write("V3__more.sql", "CREATE TABLE job (id serial PRIMARY KEY, doc jsonb);");
      var result = flyway().migrate();
      return List.of(result.migrationsExecuted, history("public"));
    });
    Transcript.step("rolls a failed migration back", () -> {
      write("V4__wrong.sql", "CREATE TABLE left_over (a int); INSERT INTO nowhere VALUES (1);");
      String told = "no failure";
      try {
        flyway().migrate();
      } catch (FlywayException failure) {
        told = failure.getMessage().lines()
            .filter(line -> line.startsWith("SQL State") || line.startsWith("Message"))
            .toList().toString();
      }
      Files.delete(folder.resolve("V4__wrong.sql"));
      try (Connection connection = Transcript.connect()) {
        return List.of(told, history("public"),
            Transcript.query(connection, "SELECT to_regclass('left_over')::text"));
      }
    });
    Transcript.step("refuses a changed script, and repairs", () -> {
      write("V3__more.sql", "CREATE TABLE job (id serial PRIMARY KEY, doc json);");
      List<Object> told = new ArrayList<>();
      told.add(flyway().validateWithResult().validationSuccessful);
      told.add(flyway().repair().migrationsAligned.size());
      told.add(flyway().validateWithResult().validationSuccessful);
      told.add(history("public"));
      return told;
    });
    Transcript.step("runs CREATE INDEX CONCURRENTLY outside of a transaction", () -> {
      write("V5__index.sql", "CREATE INDEX CONCURRENTLY job_doc ON job (id DESC);");
      return flyway().migrate().success;
    });
    Transcript.step("informs", () -> Arrays.stream(flyway().info().all())
        .map(each -> List.of(String.valueOf(each.getVersion()), each.getState().toString()))
        .toList());
    Transcript.step("makes a schema, and a baseline of another", () -> {
      var made = flyway("app").migrate();
      try (Connection connection = Transcript.connect()) {
        Transcript.execute(connection, "CREATE SCHEMA old; CREATE TABLE old.person (email text, mood text)");
      }
      Flyway old = Flyway.configure()
          .configuration(flyway("old").getConfiguration())
          .baselineVersion("2")
          .baselineOnMigrate(true)
          .load();
      old.migrate();
      return List.of(made.migrationsExecuted, history("app"), history("old"));
    });
    Transcript.step("two at once wait for each other", () -> {
      write("V6__slow.sql", "CREATE TABLE slow (a int); SELECT pg_sleep(0.5);");
      List<Integer> told = new ArrayList<>();
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        Thread thread = new Thread(() -> {
          int executed = flyway().migrate().migrationsExecuted;
          synchronized (told) {
            told.add(executed);
          }
        });
        thread.start();
        threads.add(thread);
      }
      for (Thread each : threads) each.join();
      return told.stream().sorted().toList();
    });
    Transcript.step("cleans", () -> {
      flyway("public", "app", "old").clean();
      try (Connection connection = Transcript.connect()) {
        return List.of(
            Transcript.query(connection, "SELECT nspname FROM pg_namespace"
                + " WHERE nspname IN ('public', 'app', 'old') ORDER BY 1"),
            Transcript.query(connection, "SELECT relname FROM pg_class c JOIN pg_namespace n"
                + " ON n.oid = relnamespace WHERE nspname = 'public' ORDER BY 1"),
            Transcript.query(connection, "SELECT typname FROM pg_type WHERE typname = 'mood'"));
      }
    });
  }
}
