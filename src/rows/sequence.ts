import { utf8, utf8Text } from "../base/bytes.ts";
import { FirnError } from "../base/error.ts";
import type { AnyId, IdSource, TableId } from "../base/ids.ts";
import { rangeOfPrefix } from "../keys/index.ts";
import { refuseWhileClosing } from "./closing.ts";
import type { ColumnType } from "./column-type.ts";
import type { Datum } from "./datum.ts";
import type { DescriptorAccess } from "./descriptor-access.ts";
import { rowError } from "./errors.ts";
import { SystemKeys, systemPrefix } from "./system-prefix.ts";
import { isTemporaryId, temporaryId } from "./temporary/marks.ts";

/** A generator of numbers, as CREATE SEQUENCE makes it. Its numbers are of no transaction. */
export interface SequenceDescriptor {
  readonly id: AnyId;
  readonly namespace: readonly string[];
  readonly name: string;
  readonly type: SequenceType;
  readonly increment: bigint;
  readonly min: bigint;
  readonly max: bigint;
  readonly start: bigint;
  /** Taken from it at once, at least. */
  readonly cache: number;
  readonly cycle: boolean;
  /** Dropped with that column. */
  readonly ownedBy?: SequenceOwner;
}

export type SequenceType = "int2" | "int4" | "int8";

export interface SequenceOwner {
  readonly table: TableId;
  /** Of an identity column or a default that numbers. */
  readonly column: number;
}

/** What CREATE SEQUENCE says; what it leaves out is PostgreSQL's. */
export type SequenceOptions = Partial<
  Omit<SequenceDescriptor, "id" | "namespace" | "name" | "ownedBy">
>;

export interface SequenceSpec extends SequenceOptions {
  readonly namespace: readonly string[];
  readonly name: string;
  readonly ownedBy?: SequenceOwner;
}

export type SequenceChange = SequenceOptions & {
  readonly name?: string;
  readonly namespace?: readonly string[];
  /** `null`: OWNED BY NONE. */
  readonly ownedBy?: SequenceOwner | null;
};

const BITS: Readonly<Record<SequenceType, bigint>> = { int2: 15n, int4: 31n, int8: 63n };

/** The sequences of a shard: by id, and by name. */
const byId = new SystemKeys([{ type: "uuid" }], "sequences");
const byName = new SystemKeys([{ type: "path" }, { type: "text" }], "sequences", 1);

function idKey(id: AnyId): Uint8Array {
  return byId.encode([id], isTemporaryId(id));
}

function nameKey({
  id,
  namespace,
  name,
}: Pick<SequenceDescriptor, "id" | "namespace" | "name">): Uint8Array {
  return byName.encode([namespace, name], isTemporaryId(id));
}

/** The schema of a session's temporary tables. */
export interface TemporarySpace {
  /** Undefined while there is none. */
  readonly schema: string | undefined;
  isOwn(namespace: readonly string[]): boolean;
  /** A number that nothing else of the session has. */
  newRelation(): number;
}

/** The sequences of a shard, as a transaction sees them: made and dropped with its other writes. */
export class TransactionSequences {
  readonly #access: DescriptorAccess;
  readonly #ids: IdSource;
  readonly #temporary: TemporarySpace | undefined;
  /** Those that were read, until something is written. */
  readonly #known = new Map<AnyId, SequenceDescriptor>();

  constructor(access: DescriptorAccess, ids: IdSource, temporary?: TemporarySpace) {
    this.#access = access;
    this.#ids = ids;
    this.#temporary = temporary;
  }

  async find(id: AnyId): Promise<SequenceDescriptor | undefined> {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const bytes = await this.#access.get(idKey(id));
    if (bytes === undefined) return undefined;
    const found = decode(bytes);
    this.#known.set(id, found);
    return found;
  }

  /** What was read may be no more: something was taken back. */
  forget(): void {
    this.#known.clear();
  }

  /** @throws FirnError `NotFound`, code `ROW_SEQUENCE_NOT_FOUND` (42P01). */
  async get(id: AnyId): Promise<SequenceDescriptor> {
    const found = await this.find(id);
    if (found !== undefined) return found;
    const message = "the shard has no such sequence";
    throw rowError("NotFound", "ROW_SEQUENCE_NOT_FOUND", "42P01", message, { sequence: id });
  }

  async byName(
    namespace: readonly string[],
    name: string,
  ): Promise<SequenceDescriptor | undefined> {
    const bytes = await this.#access.get(
      byName.encode([namespace, name], this.#temporary?.isOwn(namespace) === true),
    );
    return bytes === undefined ? undefined : await this.find(utf8Text(bytes) as AnyId);
  }

  /** All of the shard by id, and then the temporary ones of the session. */
  async list(): Promise<readonly SequenceDescriptor[]> {
    const hasOthers = this.#temporary?.schema !== undefined;
    return [...(await this.#list(false)), ...(hasOthers ? await this.#list(true) : [])];
  }

  async #list(isTemporary: boolean): Promise<readonly SequenceDescriptor[]> {
    const { from, to } = rangeOfPrefix(systemPrefix("sequences", 0, isTemporary));
    return (await this.#access.values(from, to as Uint8Array)).map(decode);
  }

  /**
   * @throws FirnError `AlreadyExists`, code `ROW_SEQUENCE_EXISTS` (42P07); `Invalid`, code
   *   `ROW_SEQUENCE_INVALID` (22023).
   */
  async create(spec: SequenceSpec): Promise<SequenceDescriptor> {
    const minted = this.#ids.mint<AnyId>();
    const isTemporary = this.#temporary?.isOwn(spec.namespace) === true;
    if (!isTemporary) await refuseWhileClosing(this.#access);
    const sequence = descriptorOf(spec, isTemporary ? temporaryId(minted) : minted);
    await this.#claimName(sequence);
    this.#put(sequence);
    return sequence;
  }

  /** Takes a sequence of another shard, under the first free name. Nothing where it is here. */
  async bring(sequence: SequenceDescriptor): Promise<void> {
    if ((await this.find(sequence.id)) !== undefined) return;
    const { namespace } = sequence;
    let { name } = sequence;
    for (let n = 1; (await this.byName(namespace, name)) !== undefined; n++) {
      name = `${sequence.name}${n}`;
    }
    const brought = { ...sequence, name };
    await this.#claimName(brought);
    this.#put(brought);
  }

  /** Creates a sequence under the first free name: `t_id_seq`, `t_id_seq1`, … */
  async createNamed(spec: SequenceSpec): Promise<SequenceDescriptor> {
    let name = spec.name;
    for (let n = 1; (await this.byName(spec.namespace, name)) !== undefined; n++) {
      name = `${spec.name}${n}`;
    }
    return await this.create({ ...spec, name });
  }

  /** @throws as `get`, `create`. */
  async alter(id: AnyId, change: SequenceChange): Promise<SequenceDescriptor> {
    const before = await this.get(id);
    const { ownedBy, ...rest } = change;
    const { ownedBy: owner = undefined, ...kept } = before;
    const nextOwner = ownedBy === undefined ? owner : (ownedBy ?? undefined);
    const spec = { ...kept, ...fitted(kept, rest), ...(nextOwner && { ownedBy: nextOwner }) };
    const next = descriptorOf(spec, id);
    if ((this.#temporary?.isOwn(next.namespace) === true) !== isTemporaryId(id)) {
      const message = "cannot move objects into or out of temporary schemas";
      throw rowError("Invalid", "ROW_SEQUENCE_INVALID", "0A000", message, { sequence: next.name });
    }
    if (next.name !== before.name || next.namespace.join("\0") !== before.namespace.join("\0")) {
      await this.#claimName(next);
      this.#access.delete(nameKey(before));
    }
    this.#put(next);
    return next;
  }

  drop(sequence: SequenceDescriptor): void {
    this.#known.delete(sequence.id);
    this.#access.delete(idKey(sequence.id));
    this.#access.delete(nameKey(sequence));
  }

  async #claimName(sequence: SequenceDescriptor): Promise<void> {
    const { id, name } = sequence;
    const key = nameKey(sequence);
    if ((await this.#access.get(key)) !== undefined) {
      const message = `relation "${name}" already exists`;
      throw rowError("AlreadyExists", "ROW_SEQUENCE_EXISTS", "42P07", message, { sequence: name });
    }
    this.#access.put(key, utf8(id));
  }

  #put(sequence: SequenceDescriptor): void {
    this.#known.set(sequence.id, sequence);
    this.#access.put(idKey(sequence.id), encode(sequence));
  }
}

/** Another type takes its own bounds, unless the bounds were given. */
function fitted(before: SequenceOptions, { type, ...change }: SequenceChange): SequenceOptions {
  if (type === undefined || type === before.type || before.type === undefined) return change;
  const [least, most] = boundsOf(before.type);
  const bounds = {
    ...(before.max === most && { max: boundsOf(type)[1] }),
    ...(before.min === least && { min: boundsOf(type)[0] }),
  };
  return { type, ...bounds, ...change };
}

function boundsOf(type: SequenceType): readonly [bigint, bigint] {
  const most = 2n ** BITS[type];
  return [-most, most - 1n];
}

function descriptorOf(spec: SequenceSpec, id: AnyId): SequenceDescriptor {
  const { type = "int8", increment = 1n, cache = 1, cycle = false, namespace, name } = spec;
  const [least, most] = boundsOf(type);
  const isUp = increment > 0n;
  const { min = isUp ? 1n : least, max = isUp ? most : -1n } = spec;
  const { start = isUp ? min : max, ownedBy } = spec;
  const refuse = (message: string): never => {
    throw rowError("Invalid", "ROW_SEQUENCE_INVALID", "22023", message, { sequence: name });
  };
  if (increment === 0n) refuse("INCREMENT must not be zero");
  if (cache < 1 || !Number.isSafeInteger(cache))
    refuse(`CACHE (${cache}) must be greater than zero`);
  if (min < least) refuse(`MINVALUE (${min}) is out of range for sequence data type ${type}`);
  if (max > most) refuse(`MAXVALUE (${max}) is out of range for sequence data type ${type}`);
  if (min >= max) refuse(`MINVALUE (${min}) must be less than MAXVALUE (${max})`);
  if (start < min) refuse(`START value (${start}) cannot be less than MINVALUE (${min})`);
  if (start > max) refuse(`START value (${start}) cannot be greater than MAXVALUE (${max})`);
  const made = { id, namespace, name, type, increment, min, max, start, cache, cycle };
  return ownedBy === undefined ? made : { ...made, ownedBy };
}

/** A number as a column of a type stores it. */
export function numberAs(type: ColumnType, number: bigint): Datum {
  if (type.kind === "int8") return number;
  return type.kind === "int2" || type.kind === "int4" ? Number(number) : String(number);
}

/*
 * A sequence's descriptor as a shard stores it: JSON, {"format": 1, "sequence": {…}}, its numbers
 * as texts.
 */
const FORMAT = 1;
const NUMBERS: ReadonlySet<string> = new Set(["increment", "min", "max", "start"]);

function encode(sequence: SequenceDescriptor): Uint8Array {
  const asText = (_: string, value: unknown): unknown =>
    typeof value === "bigint" ? String(value) : value;
  return utf8(JSON.stringify({ format: FORMAT, sequence }, asText));
}

function decode(bytes: Uint8Array): SequenceDescriptor {
  let stored: { readonly format?: unknown; readonly sequence?: SequenceDescriptor };
  try {
    stored = JSON.parse(utf8Text(bytes), (name, value) =>
      NUMBERS.has(name) ? BigInt(value) : value,
    ) as typeof stored;
  } catch (error) {
    const message = "damaged sequence descriptor: not JSON";
    const context = { sqlState: "XX001" };
    throw new FirnError("Corrupt", "ROW_DESCRIPTOR_CORRUPT", message, context, error);
  }
  if (stored.format === FORMAT && stored.sequence !== undefined) return stored.sequence;
  const message = "a newer version of Firn wrote this sequence: upgrade";
  throw new FirnError("Unavailable", "ROW_DESCRIPTOR_TOO_NEW", message, {
    format: String(stored.format),
  });
}
