import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.rest.RESTCatalog;

/**
 * A session of Flink for another program, on a cluster in this process. Takes a statement a line,
 * answers its rows, each on a line behind `= `, then a line `.`, or `! ` and why it failed.
 *
 * <p>Statements run in batches, behind the word `stream` as a stream. What Flink has no SQL for goes
 * by Iceberg's Table API: `tag NAMESPACE TABLE NAME` and `expire NAMESPACE TABLE`.
 */
public class FlinkSession {
  private static final String LOOPBACK = "127.0.0.1";

  private final TableEnvironment batch;
  private final TableEnvironment streaming;
  private final RESTCatalog catalog;

  private FlinkSession(MiniCluster cluster, RESTCatalog catalog) throws Exception {
    this.batch = connect(cluster, "batch");
    this.streaming = connect(cluster, "streaming");
    this.catalog = catalog;
  }

  /** @param args where the catalog is served, and a folder for what Flink keeps meanwhile */
  public static void main(String[] args) throws Exception {
    // What Flink itself prints is not an answer.
    PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.setOut(System.err);
    try (MiniCluster cluster = startCluster(args[1]);
        RESTCatalog catalog = new RESTCatalog()) {
      catalog.initialize("firn", Map.of("uri", args[0]));
      new FlinkSession(cluster, catalog).serve(answers);
    }
    System.exit(0);
  }

  private static MiniCluster startCluster(String directory) throws Exception {
    Configuration settings =
        Configuration.fromMap(
            Map.of(
                "rest.bind-address", LOOPBACK,
                "rest.address", LOOPBACK,
                "rest.port", "0",
                "io.tmp.dirs", directory,
                // Iceberg keeps threads of its own, and with them the loader of the job they
                // began in.
                "classloader.check-leaked-classloader", "false"));
    FileSystem.initialize(settings, null);
    MiniCluster cluster =
        new MiniCluster(
            new MiniClusterConfiguration.Builder()
                .setConfiguration(settings)
                .setCommonBindAddress(LOOPBACK)
                .setNumTaskManagers(1)
                .setNumSlotsPerTaskManager(4)
                .build());
    cluster.start();
    return cluster;
  }

  /** Every statement runs on that cluster, and is over when its job is. */
  private static TableEnvironment connect(MiniCluster cluster, String mode) throws Exception {
    int port = cluster.getRestAddress().get().getPort();
    Configuration settings =
        Configuration.fromMap(
            Map.of(
                "execution.target", "remote",
                "execution.attached", "true",
                "rest.address", LOOPBACK,
                "rest.port", Integer.toString(port),
                "execution.runtime-mode", mode,
                "parallelism.default", "1",
                "table.dml-sync", "true",
                "classloader.check-leaked-classloader", "false"));
    return TableEnvironment.create(
        EnvironmentSettings.newInstance().withConfiguration(settings).build());
  }

  private void serve(PrintStream answers) throws Exception {
    BufferedReader statements =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = statements.readLine(); line != null; line = statements.readLine()) {
      try {
        run(line, answers);
        answers.println(".");
      } catch (Exception error) {
        error.printStackTrace();
        answers.println("! " + reason(error));
      }
    }
  }

  private void run(String line, PrintStream answers) throws Exception {
    String[] words = line.split(" ");
    switch (words[0]) {
      case "tag" -> tag(load(words[1], words[2]), words[3]);
      case "expire" -> load(words[1], words[2])
          .expireSnapshots()
          .expireOlderThan(System.currentTimeMillis())
          .commit();
      case "stream" -> execute(streaming, line.substring("stream ".length()), answers);
      default -> execute(batch, line, answers);
    }
  }

  private static void execute(TableEnvironment flink, String statement, PrintStream answers)
      throws Exception {
    TableResult result = flink.executeSql(statement);
    try (CloseableIterator<Row> rows = result.collect()) {
      while (rows.hasNext()) {
        answers.println("= " + inOneLine(rows.next()));
      }
    }
  }

  private Table load(String namespace, String table) {
    return catalog.loadTable(TableIdentifier.of(namespace, table));
  }

  private static void tag(Table table, String name) {
    table.manageSnapshots().createTag(name, table.currentSnapshot().snapshotId()).commit();
  }

  /** The messages of an error and its causes in one line: the cause alone says what failed. */
  private static String reason(Throwable error) {
    StringBuilder messages = new StringBuilder();
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      messages.append(cause).append("; ");
    }
    return inOneLine(messages);
  }

  private static String inOneLine(Object text) {
    return text.toString().replaceAll("\\s+", " ");
  }
}
