import type { Command } from "commander";
import { catalogAt, SERVER_HELP } from "./housekeeping-program.ts";
import type { KeysCommand } from "./keys.ts";
import { addSettings, HOUSEKEEPING_FLAGS, type SettingsContext } from "./setting-options.ts";

/** Runs a line; undefined where it makes no sense, which has been said then. */
export type RunKeys = (line: KeysCommand | undefined) => Promise<void>;

type Values = Readonly<Record<string, unknown>>;
type Line<T = KeysCommand> = T extends unknown ? Omit<T, "at" | "json"> : never;

const SECRET_NOTE =
  " Needs a server's directory; or the store and FIRN_SECRET, where no server runs.";

/** Adds `firn keys`. */
export function addKeys(program: Command, context: SettingsContext, run: RunKeys): void {
  const keys = program
    .command("keys")
    .description("List and rotate the keys that sign access tokens. For API keys: firn key.");
  const list = keys
    .command("list")
    .description(`List the keys of the deployment and their state.${SECRET_NOTE}`);
  onDeployment(list, 0, context, run, () => ({ command: "list" }));
  const rotate = keys
    .command("rotate")
    .description(
      "Add a key that signs after five minutes. The key before it verifies its tokens until they " +
        `end. To repeat it within that time changes nothing.${SECRET_NOTE}`,
    );
  onDeployment(rotate, 0, context, run, () => ({ command: "rotate" }));
}

/** Adds `firn access reset-admin` to the commands of `firn access`. */
export function addResetAdmin(access: Command, context: SettingsContext, run: RunKeys): void {
  const reset = access
    .command("reset-admin")
    .description(
      "Give an administrator of the default account a new API key, shown once, when its key is " +
        `lost. Creates or resumes the principal, and ends its other keys.${SECRET_NOTE}`,
    )
    .argument("[name]", "the principal; default: admin")
    .option("--keep-keys", "leave the other keys of the principal valid");
  onDeployment(reset, 1, context, run, ([name = "admin"], { keepKeys }) => ({
    command: "reset-admin",
    name,
    keepsKeys: keepKeys === true,
  }));
}

function onDeployment(
  command: Command,
  most: number,
  context: SettingsContext,
  run: RunKeys,
  lineOf: (words: readonly string[], values: Values) => Line,
): void {
  command.option("--server <place>", SERVER_HELP).option("--json", "print JSON");
  addSettings(command, HOUSEKEEPING_FLAGS);
  command.action((...given: readonly unknown[]) => {
    const { keepKeys, ...values } = given[most] as Values;
    // No server could read a key that another secret encrypted: the real one must be given.
    const found = catalogAt(values, most, command.args, [], context, []);
    if (found === undefined) return run(undefined);
    const { words, at } = found;
    return run({
      ...lineOf(words, { keepKeys }),
      at,
      json: values["json"] === true,
    } as KeysCommand);
  });
}
