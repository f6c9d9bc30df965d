import { type Command, Option } from "commander";
import { DECISIONS } from "../../api/audit-operations.ts";
import { positive, span } from "../option-values.ts";
import { addWhere } from "../where.ts";
import { type CatalogLine, DAILY, type DailyVerb } from "./catalog-line.ts";
import { addFormat, type RunLine } from "./noun-program.ts";

/** A verb of every day as its help tells it. */
interface DailySpec {
  readonly summary: string;
  /** Arguments, and what each is. */
  readonly words: readonly (readonly [name: string, help: string])[];
  readonly options?: readonly Option[];
}

const NAME_HELP = "catalog, catalog.namespace or catalog.namespace.table";
const TABLE_HELP = "catalog.namespace.table";
const AT_HELP = `${TABLE_HELP}, and @ with a branch, tag, snapshot id, time or ~n`;
const dryRun = (): Option => new Option("--dry-run", "check everything and change nothing");
const limit = (what: string): Option =>
  new Option("-n, --limit <count>", `end after so many ${what}`).argParser(positive);

const SPECS: Readonly<Record<DailyVerb, DailySpec>> = {
  ls: {
    summary: "List catalogs, or what is in a catalog or namespace.",
    words: [["[name]", NAME_HELP]],
    options: [
      new Option("-l, --long", "show rows, size, files, age and refs of tables"),
      new Option("--tree", "list everything below, too"),
      new Option("--dropped", "list what was dropped and can come back"),
    ],
  },
  describe: {
    summary: "Show everything about one thing: of a table its columns and snapshot, too.",
    words: [["<name>", `${NAME_HELP}; a table may have @ as in firn log`]],
  },
  log: {
    summary: "Show the snapshots of a table as a graph, with branches and tags.",
    words: [["<table>", AT_HELP]],
    options: [limit("snapshots")],
  },
  diff: {
    summary: "Compare two snapshots of a table, or two versions of anything.",
    words: [
      ["<table>", AT_HELP],
      ["[at]", "@ of the later snapshot; absent: the current one"],
    ],
    options: [
      new Option("--from <version>", "compare versions, not snapshots: the earlier one"),
      new Option("--to <version>", "the later version; absent: the current one"),
    ],
  },
  files: {
    summary: "Show how the files of a table lie: sizes, deletes, and the largest partitions.",
    words: [["<table>", AT_HELP]],
    options: [limit("partitions")],
  },
  stats: {
    summary: "Show the columns of a table: bytes, nulls, and least and greatest value.",
    words: [["<table>", AT_HELP]],
  },
  check: {
    summary: "Check a table's files, snapshots and metadata. Exit 1 if it has advice.",
    words: [["<table>", TABLE_HELP]],
  },
  find: {
    summary: "Find names that hold a text. Exit 3 if none does.",
    words: [["<text>", "a part of a name, in any case"]],
  },
  watch: {
    summary: "Follow changes as they happen.",
    words: [["[name]", `changes of this alone: ${NAME_HELP}`]],
    options: [
      new Option(
        "--since <time>",
        "begin at a time (RFC 3339), or so long ago: 90s, 2h, 1d; absent: now",
      ),
      new Option("--no-follow", "end where the feed ends"),
      limit("changes"),
    ],
  },
  audit: {
    summary: "Show the audit log of a server's node, newest entry first. Needs admin.",
    words: [],
    options: [
      new Option("--principal <name>", "entries of this principal alone"),
      new Option("--operation <name>", "entries of this operation alone, such as vend"),
      new Option("--decision <decision>", "entries that were decided so").choices(DECISIONS),
      new Option("--object <name>", "entries of this, and of what is in it: names and dots"),
      new Option("--since <time>", "no entry before a time, or so long ago: 90s, 2h, 1d"),
      new Option("--until <time>", "no entry after a time, or so long ago"),
      new Option("--follow", "oldest entry first, from --since or from now, and then new ones"),
      limit("entries"),
    ],
  },
  top: {
    summary: "Watch a server: requests, latency and errors by route.",
    words: [],
    options: [
      new Option("--interval <duration>", "time between two looks").argParser(span),
      limit("looks"),
    ],
  },
  rm: {
    summary:
      "Drop a table, view, namespace or catalog. firn undrop brings it back. A namespace or " +
      "catalog must be empty, or takes --recursive.",
    words: [["<name>", NAME_HELP]],
    options: [
      new Option("--purge", "delete the files of the table, too, once the retention is over"),
      new Option("-r, --recursive", "drop what is in it, too, by a background job"),
      new Option("--no-wait", "do not wait for that job"),
      new Option("--yes", "do not ask for the name"),
      dryRun(),
    ],
  },
  mv: {
    summary: "Rename something, or move it within its catalog.",
    words: [
      ["<name>", NAME_HELP],
      ["<new-name>", "the new full name, or a single name in the same place"],
    ],
    options: [dryRun()],
  },
  tag: {
    summary: "List, make, move or delete tags of a table.",
    words: [
      ["<table>", AT_HELP],
      ["[tag]", "its name; absent: tags are listed"],
    ],
    options: refOptions("tag"),
  },
  branch: {
    summary: "List, make, move or delete branches of a table.",
    words: [
      ["<table>", AT_HELP],
      ["[branch]", "its name; absent: branches are listed"],
    ],
    options: refOptions("branch"),
  },
  rollback: {
    summary: "Make an earlier snapshot of a table the current one.",
    words: [["<table@at>", AT_HELP]],
    options: [new Option("--force", "also to a snapshot that is not an ancestor"), dryRun()],
  },
  import: {
    summary:
      "Register the tables of a connector's catalog. Repeat it to go on. Exit 1 if one failed.",
    words: [["<connector>", "its name; firn connector create makes one"]],
    options: [
      new Option("--into <catalog>", "the catalog that tables are registered in"),
      new Option("--namespace <name...>", "only these and what is below them (repeatable)"),
      new Option("--replace", "move tables that are here to the metadata that is there"),
      new Option("--credentials <path>", "a JSON file with token, or clientId and clientSecret"),
      dryRun(),
    ],
  },
  sql: {
    summary: "Run SQL on row tables: a statement, a file, or what is typed.",
    words: [["[statement]", "SQL; absent: standard input, with a prompt on a terminal"]],
    options: [
      new Option("-c, --command <statement>", "the same as the argument"),
      new Option("-f, --file <path>", "run the statements of a file; - is standard input"),
      new Option("-1, --single-transaction", "run all statements as one transaction"),
      new Option("--catalog <name>", "the catalog that names belong to; absent: default"),
      new Option("--timeout <duration>", "time that one statement may take").argParser(span),
    ],
  },
  protect: {
    summary: "Protect something from being dropped.",
    words: [["<name>", NAME_HELP]],
    options: [new Option("--off", "let it be dropped again"), dryRun()],
  },
};

function refOptions(what: string): readonly Option[] {
  return [
    new Option("-d, --delete", `delete the ${what}`),
    new Option("--force", `move a ${what} that exists`),
    new Option("--max-age <duration>", "how long it keeps its snapshots").argParser(span),
    dryRun(),
  ];
}

/** Adds `firn ls`, `firn log` … */
export function addDaily(program: Command, run: RunLine): void {
  for (const verb of DAILY) {
    const { summary, words, options = [] } = SPECS[verb];
    const command = program.command(verb).description(summary).helpGroup("Every day:");
    for (const [name, help] of words) command.argument(name, help);
    for (const option of options) command.addOption(option);
    addFormat(command);
    addWhere(command);
    command.action(() => run(lineOf(verb, command)));
  }
}

/** Adds `firn context`. */
export function addContext(program: Command, run: RunLine): void {
  const context = program
    .command("context")
    .description("Name servers and stores, and choose which one commands ask.")
    .helpGroup("Every day:");
  const add = (action: string, argument: string, isDefault = false): Command => {
    const command = context.command(action, { isDefault });
    if (argument !== "") command.argument(argument);
    return command.action(() => {
      const line = lineOf("context", command);
      return run({ ...line, words: [action, ...line.words] });
    });
  };
  addFormat(add("list", "", true).description("List contexts; * marks the current one."));
  add("set", "<name>")
    .description("Set a context. The first one becomes the current one.")
    .option("--url <url>", "a server, such as http://127.0.0.1:8181")
    .option("--dir <path>", "a directory, asked through its server or opened");
  add("use", "<name>").description("Choose the context that commands ask.");
  add("delete", "<name>").description("Delete a context.");
}

function lineOf(run: CatalogLine["run"], command: Command): CatalogLine {
  return { run, words: command.args, values: command.opts() };
}
