import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * What a session of a tool reports: a line of JSON for each step, compared by the runner. As
 * `transcript.py` does in Python.
 */
final class Transcript {
  interface Work {
    Object run() throws Exception;
  }

  private Transcript() {}

  /** Runs a step; what it returns is what it tells. The steps behind one that fails still run. */
  static void step(String name, Work work) {
    StringBuilder line = new StringBuilder("STEP {\"step\":");
    text(line, name);
    try {
      StringBuilder told = new StringBuilder();
      plain(told, work.run());
      line.append(",\"told\":").append(told);
    } catch (Exception | Error failure) {
      line.append(",\"error\":");
      text(line, causesOf(failure));
    }
    System.out.println(line.append('}'));
  }

  /** Where the runner's server listens. */
  static String url() {
    Map<String, String> env = System.getenv();
    return "jdbc:postgresql://" + env.get("PGHOST") + ":" + env.get("PGPORT") + "/"
        + env.get("PGDATABASE");
  }

  static Connection connect() throws SQLException {
    return DriverManager.getConnection(url(), System.getenv("PGUSER"), "");
  }

  static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Names and types of the columns, then the rows. */
  static List<Object> rowsOf(ResultSet results) throws SQLException {
    ResultSetMetaData meta = results.getMetaData();
    List<Object> told = new ArrayList<>();
    List<Object> columns = new ArrayList<>();
    for (int i = 1; i <= meta.getColumnCount(); i++) {
      columns.add(meta.getColumnLabel(i) + " " + meta.getColumnTypeName(i));
    }
    told.add(columns);
    while (results.next()) {
      List<Object> row = new ArrayList<>();
      for (int i = 1; i <= meta.getColumnCount(); i++) row.add(results.getString(i));
      told.add(row);
    }
    results.close();
    return told;
  }

  static List<Object> query(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return rowsOf(statement.executeQuery(sql));
    }
  }

  private static String causesOf(Throwable failure) {
    List<String> causes = new ArrayList<>();
    for (Throwable each = failure; each != null; each = each.getCause()) {
      StackTraceElement own = Arrays.stream(each.getStackTrace())
          .filter(frame -> frame.getFileName() != null && frame.getFileName().endsWith("Session.java"))
          .findFirst()
          .orElse(null);
      causes.add(each + (own == null ? "" : " (" + own.getFileName() + ":" + own.getLineNumber() + ")"));
    }
    return String.join(" <- ", causes);
  }

  private static void plain(StringBuilder line, Object value) {
    if (value == null || value instanceof Boolean || value instanceof Integer) {
      line.append(value);
    } else if (value instanceof Map<?, ?> map) {
      String separator = "{";
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        text(line.append(separator), String.valueOf(entry.getKey()));
        plain(line.append(':'), entry.getValue());
        separator = ",";
      }
      line.append(map.isEmpty() ? "{}" : "}");
    } else if (value instanceof Collection<?> all) {
      list(line, all);
    } else if (value instanceof byte[] bytes) {
      text(line, "bytes " + HexFormat.of().formatHex(bytes));
    } else if (value instanceof Object[] array) {
      list(line, Arrays.asList(array));
    } else if (value instanceof int[] numbers) {
      list(line, Arrays.stream(numbers).boxed().toList());
    } else if (value instanceof String) {
      text(line, (String) value);
    } else if (value instanceof BigDecimal decimal) {
      text(line, "BigDecimal " + decimal.toPlainString());
    } else {
      text(line, value.getClass().getSimpleName() + " " + value);
    }
  }

  private static void list(StringBuilder line, Collection<?> values) {
    String separator = "[";
    for (Object each : values) {
      plain(line.append(separator), each);
      separator = ",";
    }
    line.append(values.isEmpty() ? "[]" : "]");
  }

  private static void text(StringBuilder line, String value) {
    line.append('"');
    for (char each : value.toCharArray()) {
      if (each == '"' || each == '\\') line.append('\\').append(each);
      else if (each < ' ') line.append(String.format("\\u%04x", (int) each));
      else line.append(each);
    }
    line.append('"');
  }
}
