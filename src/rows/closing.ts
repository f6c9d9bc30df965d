import { utf8, utf8Text } from "../base/bytes.ts";
import { KeySchema } from "../keys/index.ts";
import type { DescriptorAccess } from "./descriptor-access.ts";
import { rowError } from "./errors.ts";
import { systemPrefix } from "./system-prefix.ts";

/*
 * A shard that is being deleted takes nothing new. Who makes a table, a sequence or an object reads
 * this key in the same transaction; who closes the shard reads all of them. So an empty shard that
 * was closed stays empty. Value: the id of the job that deletes it.
 */
const KEY = new KeySchema([{ type: "text" }], systemPrefix("closing")).encode(["job"]);

/** @throws FirnError `NotFound`, code `ROW_SHARD_NOT_FOUND` (42704): soon it is not there. */
export async function refuseWhileClosing(access: Pick<DescriptorAccess, "get">): Promise<void> {
  if ((await access.get(KEY)) === undefined) return;
  const message = "the shard is being deleted: choose another one";
  throw rowError("NotFound", "ROW_SHARD_NOT_FOUND", "42704", message);
}

/** What closing needs of the tables of a transaction. */
export class ShardClosing {
  readonly #access: DescriptorAccess;

  constructor(access: DescriptorAccess) {
    this.#access = access;
  }

  /** The job that deletes the shard. */
  async job(): Promise<string | undefined> {
    const bytes = await this.#access.get(KEY);
    return bytes && utf8Text(bytes);
  }

  close(job: string): void {
    this.#access.put(KEY, utf8(job));
  }

  open(): void {
    this.#access.delete(KEY);
  }
}
