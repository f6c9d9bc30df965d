import type { AccountId } from "../../base/ids.ts";
import type { KeyStep, Stream } from "../../catalog/cut.ts";
import { summaryOfItem } from "../../catalog/entities.ts";
import { leafText, parseKey } from "../../catalog/keys.ts";
import type { ChangedKey, ChangeRecord } from "../../catalog/model.ts";
import { isPart } from "../../catalog/part-pointers.ts";
import { fullKey, shaOfPath } from "../../catalog/paths.ts";
import type { HistoryPin } from "../../catalog/pins.ts";
import { readChange, type WalkedPointer, walkPointers } from "../../catalog/walk.ts";
import { SortedLines, type SortPorts } from "../gc/sorted-lines.ts";
import type { ChangeLine } from "./format.ts";
import {
  jsonLine,
  jsonOf,
  type SweptState,
  stateLine,
  stateOf,
  stepLine,
  stepOf,
  stepsOf,
} from "./lines.ts";
import type { BackupParts } from "./parts.ts";
import { type CatalogScope, canonicalOf } from "./scope.ts";

/** What is read of an account, and of which part of it. */
export interface GatheredFrom {
  readonly account: AccountId;
  /** Where the span of the sweep begins: what was filed earlier was applied before. */
  readonly fromMs: number;
  readonly scope: CatalogScope | undefined;
  readonly pin: HistoryPin;
}

/**
 * The pointers and change records of an account, sorted in the scratch store. Of what grows with
 * the account nothing is held in memory; of the records of the span, the ids.
 */
export class Gathered {
  readonly #parts: BackupParts;
  readonly #from: GatheredFrom;
  readonly #ports: SortPorts;
  readonly #states: SortedLines;
  readonly #changes: SortedLines;
  readonly #steps: SortedLines;
  readonly #spanMs: number;
  /** Records of the span. */
  readonly known: Set<string> = new Set();
  /** What was done to other accounts from within this one. */
  readonly ofAccounts: KeyStep[] = [];

  constructor(parts: BackupParts, from: GatheredFrom) {
    this.#parts = parts;
    this.#from = from;
    this.#ports = parts;
    this.#states = new SortedLines(parts, "states");
    this.#changes = new SortedLines(parts, "changes");
    this.#steps = new SortedLines(parts, "steps");
    this.#spanMs = Math.floor(from.fromMs / 60_000) * 60_000;
  }

  async sweep(): Promise<void> {
    const { account, pin } = this.#from;
    for await (const walked of walkPointers(this.#parts, { account })) {
      if (walked.state === "unreadable") throw walked.error;
      const kept = pin.keep();
      if (kept !== undefined) await kept;
      const { item } = walked;
      if (canonicalOf(item.key) !== undefined || isPart(walked.key)) await this.#source(walked);
      else if (walked.state === "live") await this.#other(walked);
    }
  }

  async #source(walked: Exclude<WalkedPointer, { state: "unreadable" }>): Promise<void> {
    const { scope } = this.#from;
    const { item, key } = walked;
    const path = item.state === "live" ? item.blobPath : undefined;
    const sha = path === undefined ? undefined : shaOfPath(path);
    const state = { key: item.key, version: item.version, sha };
    if (scope !== undefined) {
      if (isPart(key)) return scope.addOfTable(key.values[1] ?? "", state);
      const isOut = walked.state === "live" && !(await scope.saw(summaryOfItem(walked.item)));
      if (isOut) return;
    }
    await this.#states.add(stateLine(state));
  }

  async #other(walked: Extract<WalkedPointer, { state: "live" }>): Promise<void> {
    const { is } = walked.references.content;
    if (is === "change") {
      await this.addRecord(
        leafText(walked.item.key) ?? "",
        await readChange(this.#parts.blobs, walked),
      );
    }
    const { key, version, blobPath, summary } = walked.item;
    if (is !== "snapshot" || blobPath === undefined || summary === undefined) return;
    const state: SweptState = {
      key,
      version,
      sha: shaOfPath(blobPath),
      blob: blobPath,
      summary: Buffer.from(summary).toString("base64"),
    };
    const { scope } = this.#from;
    if (scope === undefined) await this.#states.add(stateLine(state));
    else await scope.addOfTable(walked.key.values[1] ?? "", state);
  }

  async addRecord(id: string, record: ChangeRecord): Promise<void> {
    if (record.timeMs >= this.#spanMs) this.known.add(id);
    const { account, scope } = this.#from;
    const all = changeOf(account, id, record);
    // Another account may have been made from within this one.
    const isOther = ([key]: ChangeLine["keys"][0]): boolean => {
      const entity = canonicalOf(key);
      return entity?.type === "account" && entity.id !== account;
    };
    const others = all.keys.filter(isOther);
    this.ofAccounts.push(...stepsOf({ ...all, keys: others }));
    const hasOthers = others.length > 0;
    const change = hasOthers ? { ...all, keys: all.keys.filter((key) => !isOther(key)) } : all;
    await (scope === undefined ? this.#addChange(change) : scope.addChange(change));
  }

  async #addChange(change: ChangeLine): Promise<void> {
    await this.#changes.add(jsonLine(change.id, change));
    if (change.timeMs < this.#spanMs) return;
    for (const step of stepsOf(change)) await this.#steps.add(stepLine(step));
  }

  /** Once everything was read: takes over what belongs to the catalog, if it is of one. */
  async close(): Promise<void> {
    const { scope, pin } = this.#from;
    if (scope === undefined) return;
    for await (const state of scope.ofTables()) await this.#states.add(stateLine(state));
    for await (const change of scope.changes(this.#ports)) {
      await pin.keep();
      await this.#addChange(change);
    }
  }

  readonly states: Stream<SweptState> = () => mapped(this.#states.lines(), stateOf);
  /** Of the span. */
  readonly steps: Stream<KeyStep> = () => mapped(this.#steps.lines(), stepOf);
  readonly changes: Stream<ChangeLine> = () => mapped(this.#changes.lines(), jsonOf<ChangeLine>);
}

async function* mapped<T>(
  lines: AsyncIterable<string>,
  read: (line: string) => T,
): AsyncGenerator<T> {
  for await (const line of lines) yield read(line);
}

function hexOf(bytes: Uint8Array | undefined): string | null {
  return bytes === undefined ? null : Buffer.from(bytes).toString("hex");
}

/** Whether a key is of a source: of an account, which may be another one, or of what lies in it. */
function isSource(key: string): boolean {
  return canonicalOf(key) !== undefined || isPart(parseKey(key));
}

/** A change record as a backup holds it: the sources that it wrote. */
function changeOf(account: AccountId, id: string, record: ChangeRecord): ChangeLine {
  const { timeMs, operation, principal, requestId } = record;
  const keys = record.keys
    .map((each: ChangedKey) => ({ ...each, key: fullKey(account, each.key) }))
    .filter(({ key }) => isSource(key))
    .map(
      (each) =>
        [
          each.key,
          String(each.versionFrom),
          String(each.versionTo),
          hexOf(each.blobFrom),
          hexOf(each.blobTo),
          each.deleted,
        ] as const,
    );
  return { id, timeMs, operation, principal, requestId, keys };
}
