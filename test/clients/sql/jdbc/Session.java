import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.Array;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.postgresql.PGConnection;
import org.postgresql.util.PGobject;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** JDBC: a session of an application. Values go as binary where the driver has it so. */
public final class Session {
  private interface Check {
    void run() throws Exception;
  }

  private static final String KINDS =
      "CREATE TABLE jdbc_kinds (id int8 PRIMARY KEY, small int2, flag bool, ratio float8,"
          + " price numeric(30, 10), word text, code varchar(8), raw bytea, day date,"
          + " at timestamptz, plain timestamp, doc jsonb, key uuid, ints int8[], words text[])";
  private static final String ORDERS =
      "CREATE TABLE jdbc_orders (id int PRIMARY KEY, email text NOT NULL"
          + " CONSTRAINT jdbc_orders_email_key UNIQUE,"
          + " qty int CONSTRAINT jdbc_orders_qty CHECK (qty > 0))";
  private static final String ENDLESS =
      "SELECT count(*) FROM generate_series(1, 10000000000::int8)";

  private static Connection connection;

  public static void main(String[] args) throws Exception {
    connection = connect("");
    check("creates tables", Session::tables);
    check("writes and reads values of all types as text", () -> kinds("binaryTransfer=false", 1));
    check("writes and reads values of all types as binary", () -> kinds("prepareThreshold=-1", 2));
    check("values of a composite type", Session::composites);
    check("NULL", Session::nulls);
    check("a prepared statement, by name from its fifth run on", Session::prepared);
    check("batches go as one pipeline", Session::batches);
    check("keys that the server makes", Session::generatedKeys);
    check("rows in parts", Session::fetchSize);
    check("savepoint, rollback, commit", Session::transaction);
    check("a failed statement of a transaction alone, with autosave", Session::autosave);
    check("fields of errors", Session::errors);
    check("COPY in and out", Session::copy);
    check("cancels a statement", Session::cancel);
    check("a time limit of a statement", Session::timeout);
    check("what a tool asks of the catalog", Session::metaData);
    check("isolation levels and read-only transactions", Session::modes);
    check("simple query mode", Session::simple);
    connection.close();
  }

  private static Connection connect(String options) throws SQLException {
    String url =
        "jdbc:postgresql://127.0.0.1:" + System.getenv("PGPORT") + "/" + System.getenv("PGDATABASE");
    return DriverManager.getConnection(
        url + "?user=" + System.getenv("PGUSER") + (options.isEmpty() ? "" : "&" + options));
  }

  private static void check(String name, Check work) {
    try {
      work.run();
      System.out.println("ok " + name);
    } catch (Throwable error) {
      String why = String.valueOf(error).replace("\n", " | ");
      StackTraceElement at =
          Arrays.stream(error.getStackTrace())
              .filter(each -> each.getClassName().startsWith("Session"))
              .filter(each -> !each.getMethodName().equals("equal"))
              .findFirst()
              .orElse(null);
      System.out.println("not ok " + name + ": " + why + " (" + at + ")");
    }
  }

  private static void equal(Object actual, Object expected) {
    if (!Objects.deepEquals(actual, expected)) {
      throw new AssertionError("got " + actual + ", expected " + expected);
    }
  }

  private static SQLException refused(Check work) throws Exception {
    try {
      work.run();
    } catch (SQLException error) {
      return error;
    }
    throw new AssertionError("nothing was refused");
  }

  private static void composites() throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("CREATE TYPE jdbc_part AS (code text, n int)");
      statement.execute("CREATE TABLE jdbc_parts (id int PRIMARY KEY, part jdbc_part)");
    }
    PGobject part = new PGobject();
    part.setType("jdbc_part");
    part.setValue("(\"a b\",7)");
    String insert = "INSERT INTO jdbc_parts VALUES (1, ?) RETURNING part, (part).n";
    try (PreparedStatement statement = connection.prepareStatement(insert)) {
      statement.setObject(1, part);
      try (ResultSet rows = statement.executeQuery()) {
        equal(rows.next(), true);
        PGobject read = (PGobject) rows.getObject(1);
        equal(List.of(read.getType(), read.getValue()), List.of("jdbc_part", "(\"a b\",7)"));
        equal(rows.getInt(2), 7);
      }
    }
  }

  private static Object one(Connection on, String query) throws SQLException {
    try (Statement statement = on.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      rows.next();
      return rows.getObject(1);
    }
  }

  private static int run(String text) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return statement.executeUpdate(text);
    }
  }

  private static void tables() throws SQLException {
    equal(run(KINDS), 0);
    equal(run(ORDERS), 0);
  }

  private static PGobject jsonb(String text) throws SQLException {
    PGobject made = new PGobject();
    made.setType("jsonb");
    made.setValue(text);
    return made;
  }

  private static void kinds(String options, long add) throws Exception {
    long id = 9007199254740993L + add;
    OffsetDateTime at = OffsetDateTime.of(2026, 2, 3, 4, 5, 6, 789012000, ZoneOffset.ofHours(2));
    LocalDateTime plain = LocalDateTime.of(2026, 2, 3, 4, 5, 6, 789012000);
    UUID key = UUID.fromString("6f9619ff-8b86-d011-b42d-00c04fc964ff");
    byte[] raw = {0, 1, (byte) 254, (byte) 255};
    Long[] ints = {Long.MAX_VALUE, null, -1L};
    String[] words = {"plain", "with \"quotes\", commas", null, ""};
    String insert =
        "INSERT INTO jdbc_kinds VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *";
    try (Connection own = connect(options);
        PreparedStatement into = own.prepareStatement(insert)) {
      into.setLong(1, id);
      into.setShort(2, (short) -32768);
      into.setBoolean(3, true);
      into.setDouble(4, 0.1);
      into.setBigDecimal(5, new BigDecimal("12345678901234567890.0123456789"));
      into.setString(6, "größer 🦀");
      into.setString(7, "code");
      into.setBytes(8, raw);
      into.setObject(9, LocalDate.of(2026, 2, 3));
      into.setObject(10, at);
      into.setObject(11, plain);
      into.setObject(12, jsonb("{\"a\": [1, null, \"x\"], \"n\": 9007199254740993}"));
      into.setObject(13, key);
      into.setArray(14, own.createArrayOf("int8", ints));
      into.setArray(15, own.createArrayOf("text", words));
      try (ResultSet row = into.executeQuery()) {
        row.next();
        equal(row.getLong(1), id);
        equal(row.getShort(2), (short) -32768);
        equal(row.getBoolean(3), true);
        equal(row.getDouble(4), 0.1);
        equal(row.getBigDecimal(5), new BigDecimal("12345678901234567890.0123456789"));
        equal(row.getString(6), "größer 🦀");
        equal(row.getString(7), "code");
        equal(row.getBytes(8), raw);
        equal(row.getObject(9, LocalDate.class), LocalDate.of(2026, 2, 3));
        equal(row.getObject(10, OffsetDateTime.class).toInstant(), at.toInstant());
        equal(row.getObject(11, LocalDateTime.class), plain);
        equal(row.getString(12), "{\"a\": [1, null, \"x\"], \"n\": 9007199254740993}");
        equal(row.getObject(13, UUID.class), key);
        equal(row.getArray(14).getArray(), ints);
        equal(row.getArray(15).getArray(), words);
        equal(row.getMetaData().getColumnTypeName(5), "numeric");
        equal(row.getMetaData().getPrecision(5), 30);
        equal(row.getMetaData().getScale(5), 10);
      }
    }
  }

  private static void nulls() throws SQLException {
    String text = "INSERT INTO jdbc_kinds (id, small, price, at, ints) VALUES (1, ?, ?, ?, ?)";
    try (PreparedStatement into = connection.prepareStatement(text + " RETURNING *")) {
      into.setNull(1, Types.SMALLINT);
      into.setNull(2, Types.NUMERIC);
      into.setNull(3, Types.TIMESTAMP_WITH_TIMEZONE);
      into.setNull(4, Types.ARRAY);
      try (ResultSet row = into.executeQuery()) {
        row.next();
        for (int column = 2; column <= 15; column++) equal(row.getObject(column), null);
        equal(row.getInt(2), 0);
        equal(row.wasNull(), true);
      }
    }
  }

  private static void prepared() throws SQLException {
    String text = "SELECT ?::int + 1, ?::text";
    try (PreparedStatement statement = connection.prepareStatement(text)) {
      for (int i = 0; i < 20; i++) {
        statement.setInt(1, i);
        statement.setString(2, "x" + i);
        try (ResultSet row = statement.executeQuery()) {
          row.next();
          equal(row.getInt(1), i + 1);
          equal(row.getString(2), "x" + i);
        }
      }
      equal(statement.getParameterMetaData().getParameterTypeName(1), "int4");
    }
  }

  private static void batches() throws Exception {
    run("CREATE TABLE jdbc_batch (id int PRIMARY KEY, word text)");
    String insert = "INSERT INTO jdbc_batch VALUES (?, ?)";
    connection.setAutoCommit(false);
    try (PreparedStatement into = connection.prepareStatement(insert)) {
      for (int i = 0; i < 2_000; i++) {
        into.setInt(1, i);
        into.setString(2, "w" + i);
        into.addBatch();
      }
      equal(Arrays.stream(into.executeBatch()).sum(), 2_000);
    }
    connection.commit();
    connection.setAutoCommit(true);
    try (PreparedStatement into = connection.prepareStatement(insert)) {
      for (int id : new int[] {5_000, 1, 5_001}) {
        into.setInt(1, id);
        into.setString(2, "x");
        into.addBatch();
      }
      BatchUpdateException failed = (BatchUpdateException) refused(into::executeBatch);
      equal(failed.getSQLState(), "23505");
    }
    try (Connection own = connect("reWriteBatchedInserts=true");
        PreparedStatement into = own.prepareStatement(insert)) {
      for (int i = 10_000; i < 10_500; i++) {
        into.setInt(1, i);
        into.setString(2, "r");
        into.addBatch();
      }
      equal(into.executeBatch().length, 500);
    }
    equal(one(connection, "SELECT count(*) FROM jdbc_batch WHERE word <> 'x'"), 2_500L);
  }

  private static void generatedKeys() throws SQLException {
    run("CREATE TABLE jdbc_numbered (id bigserial PRIMARY KEY, word text)");
    String insert = "INSERT INTO jdbc_numbered (word) VALUES ('a'), ('b')";
    try (Statement statement = connection.createStatement()) {
      equal(statement.executeUpdate(insert, Statement.RETURN_GENERATED_KEYS), 2);
      try (ResultSet keys = statement.getGeneratedKeys()) {
        keys.next();
        equal(keys.getLong("id"), 1L);
        keys.next();
        equal(keys.getLong("id"), 2L);
      }
    }
  }

  private static void fetchSize() throws SQLException {
    connection.setAutoCommit(false);
    String query = "SELECT id FROM jdbc_batch WHERE id < ? ORDER BY id";
    try (PreparedStatement statement = connection.prepareStatement(query)) {
      statement.setFetchSize(100);
      statement.setInt(1, 1_000);
      int next = 0;
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          equal(rows.getInt(1), next++);
          // Another statement runs while the rows of this one are read in parts.
          if (next == 150) equal(one(connection, "SELECT 7"), 7);
        }
      }
      equal(next, 1_000);
    }
    connection.commit();
    connection.setAutoCommit(true);
  }

  private static void transaction() throws Exception {
    connection.setAutoCommit(false);
    run("INSERT INTO jdbc_orders VALUES (1, 'a@x', 1)");
    Savepoint savepoint = connection.setSavepoint("s");
    equal(refused(() -> run("INSERT INTO jdbc_orders VALUES (1, 'b@x', 1)")).getSQLState(), "23505");
    equal(refused(() -> one(connection, "SELECT 1")).getSQLState(), "25P02");
    connection.rollback(savepoint);
    run("INSERT INTO jdbc_orders VALUES (2, 'b@x', 2)");
    connection.commit();
    equal(run("DELETE FROM jdbc_orders"), 2);
    connection.rollback();
    connection.setAutoCommit(true);
    equal(one(connection, "SELECT count(*) FROM jdbc_orders"), 2L);
  }

  private static void autosave() throws Exception {
    try (Connection own = connect("autosave=always")) {
      own.setAutoCommit(false);
      try (Statement statement = own.createStatement()) {
        statement.executeUpdate("INSERT INTO jdbc_orders VALUES (5, 'e@x', 5)");
        refused(() -> statement.executeUpdate("INSERT INTO jdbc_orders VALUES (5, 'f@x', 5)"));
        equal(statement.executeUpdate("DELETE FROM jdbc_orders WHERE id = 5"), 1);
      }
      own.commit();
    }
  }

  private static void errors() throws Exception {
    ServerErrorMessage told = told("INSERT INTO jdbc_orders VALUES (3, 'a@x', 1)");
    equal(
        List.of(told.getSQLState(), told.getSchema(), told.getTable(), told.getConstraint()),
        List.of("23505", "public", "jdbc_orders", "jdbc_orders_email_key"));
    equal(told.getDetail(), "Key (email)=(a@x) already exists.");
    told = told("INSERT INTO jdbc_orders (id) VALUES (3)");
    equal(told.getColumn(), "email");
    told = told("INSERT INTO jdbc_orders VALUES (3, 'c@x', 0)");
    equal(told.getConstraint(), "jdbc_orders_qty");
    told = told("SELECT * FROM jdbc_nothing");
    equal(List.of(told.getSQLState(), told.getPosition()), List.of("42P01", 15));
  }

  private static ServerErrorMessage told(String text) throws Exception {
    return ((PSQLException) refused(() -> run(text))).getServerErrorMessage();
  }

  private static void copy() throws Exception {
    run("CREATE TABLE jdbc_copy (id int PRIMARY KEY, word text)");
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 3_000; i++) {
      lines.append(i).append('\t').append(i % 7 == 0 ? "\\N" : "w" + i).append('\n');
    }
    var copier = connection.unwrap(PGConnection.class).getCopyAPI();
    byte[] bytes = lines.toString().getBytes(StandardCharsets.UTF_8);
    equal(copier.copyIn("COPY jdbc_copy FROM STDIN", new ByteArrayInputStream(bytes)), 3_000L);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    equal(copier.copyOut("COPY (SELECT * FROM jdbc_copy ORDER BY id) TO STDOUT", out), 3_000L);
    equal(out.toString(StandardCharsets.UTF_8), lines.toString());
    ByteArrayOutputStream binary = new ByteArrayOutputStream();
    copier.copyOut("COPY jdbc_copy TO STDOUT (FORMAT BINARY)", binary);
    run("TRUNCATE jdbc_copy");
    byte[] taken = binary.toByteArray();
    String again = "COPY jdbc_copy FROM STDIN (FORMAT BINARY)";
    equal(copier.copyIn(again, new ByteArrayInputStream(taken)), 3_000L);
    byte[] wrong = "9000\tx\nno number\ty\n".getBytes(StandardCharsets.UTF_8);
    SQLException failed =
        refused(
            () -> copier.copyIn("COPY jdbc_copy FROM STDIN", new ByteArrayInputStream(wrong)));
    equal(failed.getSQLState(), "22P02");
    equal(one(connection, "SELECT count(*) FROM jdbc_copy"), 3_000L);
  }

  private static void cancel() throws Exception {
    AtomicBoolean isDone = new AtomicBoolean();
    try (Statement statement = connection.createStatement()) {
      Thread canceller =
          new Thread(
              () -> {
                try {
                  // A cancel that comes before the statement ends nothing.
                  while (!isDone.get()) {
                    Thread.sleep(300);
                    statement.cancel();
                  }
                } catch (SQLException | InterruptedException error) {
                  throw new IllegalStateException(error);
                }
              });
      canceller.start();
      equal(refused(() -> statement.executeQuery(ENDLESS)).getSQLState(), "57014");
      isDone.set(true);
      canceller.join();
    }
    equal(one(connection, "SELECT 1"), 1);
  }

  private static void timeout() throws Exception {
    try (Statement statement = connection.createStatement()) {
      statement.setQueryTimeout(1);
      equal(refused(() -> statement.executeQuery(ENDLESS)).getSQLState(), "57014");
    }
  }

  private static void metaData() throws SQLException {
    DatabaseMetaData about = connection.getMetaData();
    equal(about.getDatabaseMajorVersion(), 15);
    ResultSet tables = about.getTables(null, "public", "jdbc_o%", new String[] {"TABLE"});
    equal(names(tables, "TABLE_NAME"), "[jdbc_orders]");
    equal(
        names(about.getColumns(null, "public", "jdbc_orders", null), "COLUMN_NAME"),
        "[id, email, qty]");
    equal(names(about.getColumnPrivileges(null, "public", "jdbc_orders", "id"), "COLUMN_NAME")
        .contains("id"), true);
    equal(names(about.getSchemas(null, "pub%"), "TABLE_SCHEM"), "[public]");
    names(about.getTypeInfo(), "TYPE_NAME");
    names(about.getImportedKeys(null, "public", "jdbc_orders"), "FKCOLUMN_NAME");
    names(about.getFunctions(null, "pg_catalog", "abs"), "FUNCTION_NAME");
    names(about.getCatalogs(), "TABLE_CAT");
    names(about.getTablePrivileges(null, "public", "jdbc_orders"), "GRANTEE");
    names(about.getExportedKeys(null, "public", "jdbc_orders"), "FKCOLUMN_NAME");
    names(about.getUDTs(null, null, "%", null), "TYPE_NAME");
    equal(names(about.getPrimaryKeys(null, "public", "jdbc_orders"), "COLUMN_NAME"), "[id]");
    equal(
        names(about.getIndexInfo(null, "public", "jdbc_orders", true, true), "COLUMN_NAME"),
        "[email, id]");
    equal(
        names(about.getBestRowIdentifier(null, "public", "jdbc_orders", 0, true), "COLUMN_NAME"),
        "[id]");
    equal(List.of(about.getSQLKeywords().split(",")).contains("analyse"), true);
  }

  private static String names(ResultSet rows, String column) throws SQLException {
    List<String> found = new ArrayList<>();
    try (rows) {
      while (rows.next()) found.add(rows.getString(column));
    }
    return found.toString();
  }

  private static void modes() throws Exception {
    try (Connection own = connect("")) {
      own.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
      equal(own.getTransactionIsolation(), Connection.TRANSACTION_SERIALIZABLE);
      equal(one(own, "SHOW transaction_isolation"), "serializable");
      own.setReadOnly(true);
      own.setAutoCommit(false);
      try (Statement statement = own.createStatement()) {
        String delete = "DELETE FROM jdbc_orders";
        equal(refused(() -> statement.executeUpdate(delete)).getSQLState(), "25006");
      }
      own.rollback();
      equal(own.isValid(5), true);
      own.setSchema("pg_catalog");
      equal(own.getSchema(), "pg_catalog");
    }
  }

  private static void simple() throws Exception {
    try (Connection own = connect("preferQueryMode=simple");
        PreparedStatement statement = own.prepareStatement("SELECT ?, ?::int, ?::bytea")) {
      statement.setString(1, "it's");
      statement.setInt(2, -5);
      statement.setBytes(3, new byte[] {1, 2});
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        equal(row.getString(1), "it's");
        equal(row.getInt(2), -5);
        equal(row.getBytes(3), new byte[] {1, 2});
      }
      Array none = own.createArrayOf("int4", new Integer[] {});
      equal(((Object[]) none.getArray()).length, 0);
    }
  }
}
