import type { Clock } from "../../base/clock.ts";
import type { Prng } from "../../base/prng.ts";
import { type Datum, TemporaryShard } from "../../rows/index.ts";
import { CatalogChanges } from "../catalog/catalog-changes.ts";
import { RoleChanges } from "../catalog/role-changes.ts";
import type { CatalogView } from "../catalog/view.ts";
import { SHARD_SETTING } from "../catalog/virtual.ts";
import type { SpillSpace } from "../exec/spill.ts";
import { FunctionRegistry } from "../functions/resolve.ts";
import type { Parser } from "../parse/parser.ts";
import type { TypeCodec } from "../types/codec.ts";
import { OID } from "../types/oids.ts";
import { ownRegtype } from "../types/own-regtype.ts";
import { TypeRegistry } from "../types/registry.ts";
import type { AdvisoryLocks } from "./advisory-locks.ts";
import { timeOf } from "./as-of.ts";
import { ExportedSnapshots } from "./exported-snapshots.ts";
import { sessionPlanner } from "./planner.ts";
import { SqlSession } from "./session.ts";
import { TemporarySchemas } from "./temporary-schemas.ts";

export interface OpenParts {
  readonly parser: Parser;
  readonly clock: Clock;
  readonly prng: Prng;
  readonly catalog: CatalogView;
  readonly advisory: { readonly locks: AdvisoryLocks; readonly space: string };
  readonly user: string;
  readonly database: string;
  readonly settings: ReadonlyMap<string, string>;
  /** Of all sessions of a server; of this one alone where absent. */
  readonly temporary?: TemporarySchemas;
  readonly snapshots?: ExportedSnapshots;
  /** Where statements have temporary files; absent: what they keep stays in memory. */
  readonly spillSpace?: SpillSpace | undefined;
  /** Told of the entry of a dropped table that could not be removed. */
  readonly onUnreleased?: (error: unknown) => void;
}

/** Opens a session on a catalog. @throws SqlError 22023, 42704 for a setting. */
export function openSession({
  catalog,
  settings,
  onUnreleased = () => undefined,
  temporary = new TemporarySchemas(),
  snapshots = new ExportedSnapshots(),
  spillSpace,
  ...parts
}: OpenParts): SqlSession {
  const types = new TypeRegistry();
  types.defineCodec(OID.regtype, ownRegtype(types) as TypeCodec<Datum>);
  const functions = new FunctionRegistry(types);
  const slot = temporary.open();
  const own = new TemporaryShard({ schema: () => slot.schema(), memory: temporary.memory });
  const names = new CatalogChanges(catalog, onUnreleased, own);
  const session: SqlSession = new SqlSession({
    ...parts,
    snapshots,
    types,
    temporary: own,
    onClosed: () => {
      own.clear();
      slot.close();
    },
    settings: new Map([["session_authorization", parts.user], ...settings]),
    names,
    roles: new RoleChanges(catalog.roles, names),
    assume: catalog.roles?.assume,
    plan: sessionPlanner(functions, catalog, spillSpace),
    timeOf: (statement, clauses) => timeOf(session, functions, statement, clauses),
    open: ({ isolation, ...modes }) =>
      catalog.begin({
        ...modes,
        isolation: isolation === "read uncommitted" ? "read committed" : isolation,
        temporary: modes.atMs === undefined ? own : undefined,
        shard: session.settings.get(SHARD_SETTING),
        session: () => session.contexts.now(),
        waiter: session.locks.owner,
        onNumber: (sequence, value) => session.sequences.note(sequence, value),
      }),
  });
  return session;
}
