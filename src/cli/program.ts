import { Command, Option } from "commander";
import { envOf, flagOf, fromEnv, fromFlags, readSettings } from "../runtime/read-settings.ts";
import { SETTING_NAMES, SETTINGS, type SettingName, type Settings } from "../runtime/settings.ts";
import { packageVersion } from "../runtime/version.ts";

/** What the process gives a command. */
export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly serve: (settings: Settings) => Promise<number>;
  readonly printError: (text: string) => void;
}

/** Settings that cannot be used, as `sysexits.h` and most tools number it. */
const USAGE = 2;

/**
 * Runs one command line.
 *
 * @returns the exit code.
 */
export async function run(args: readonly string[], context: CommandContext): Promise<number> {
  let exitCode = 0;
  const program = new Command("firn")
    .description("A lakehouse catalog that needs nothing but a bucket.")
    .version(packageVersion());
  const serve = program
    .command("serve")
    .description("serve the catalog over HTTP until a signal asks to stop")
    // Left to us, so that every problem is named at once, with what was meant.
    .allowUnknownOption()
    .allowExcessArguments()
    .addHelpText("after", ENVIRONMENT_HELP);
  for (const name of SETTING_NAMES) serve.addOption(optionOf(name));
  serve.action(async (values: Readonly<Record<string, unknown>>) => {
    const flags = fromFlags(flagValues(values), serve.args);
    const result = readSettings([flags, fromEnv(context.env)], context.cwd);
    if (result.ok) {
      exitCode = await context.serve(result.settings);
      return;
    }
    for (const problem of result.problems) context.printError(`firn: ${problem}\n`);
    context.printError("See: firn serve --help\n");
    exitCode = USAGE;
  });
  await program.parseAsync([...args], { from: "user" });
  return exitCode;
}

const ENVIRONMENT_HELP = `
Every flag has an environment variable, which it overrides; repeatable ones hold commas there.
Unknown flags and unknown FIRN_ variables refuse the start.`;

function optionOf(name: SettingName): Option {
  const { placeholder, doc, fallbackText, repeatable } = SETTINGS[name];
  const facts = [
    fallbackText === "" || placeholder === "" ? "" : `default ${fallbackText}`,
    repeatable ? "repeatable" : "",
    envOf(name),
  ].filter((fact) => fact !== "");
  const flags = placeholder === "" ? flagOf(name) : `${flagOf(name)} ${placeholder}`;
  const option = new Option(flags, `${doc} [${facts.join("; ")}]`);
  // A switch has no text to parse: it is there, or it is not.
  if (placeholder === "") return option;
  return option.argParser((value: string, earlier: readonly string[] | undefined) =>
    repeatable ? [...(earlier ?? []), value] : [value],
  );
}

function flagValues(
  values: Readonly<Record<string, unknown>>,
): ReadonlyMap<SettingName, readonly string[]> {
  const flags = new Map<SettingName, readonly string[]>();
  for (const name of SETTING_NAMES) {
    const value = values[name];
    if (value !== undefined) flags.set(name, Array.isArray(value) ? value : [String(value)]);
  }
  return flags;
}
