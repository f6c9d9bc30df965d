import { hkdfSync } from "node:crypto";
import { constants } from "node:fs";
import { link, open, readdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { assert } from "../base/assert.ts";
import { FirnError } from "../base/error.ts";
import type { Prng } from "../base/prng.ts";
import { makeDirectories, PRIVATE_FILE, PRIVATE_FOLDER } from "../blob/directories.ts";
import { isRemote, type Settings } from "./settings.ts";

export const SECRET_BYTES = 32;
const TEMPORARY = ".secret-";

/** The secret that the nodes of a deployment share, of the text that all of them are given. */
export function sharedSecret({ secret }: Settings): Uint8Array {
  assert(secret !== undefined, "a profile in S3 has a secret");
  return derived(secret);
}

/** Another one that is also accepted, while nodes go from one to the other. */
export function otherSecrets({ profile, secretPrevious }: Settings): readonly Uint8Array[] {
  return isRemote(profile) && secretPrevious !== undefined ? [derived(secretPrevious)] : [];
}

function derived(text: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", text, "", "firn deployment secret", SECRET_BYTES));
}

/**
 * The deployment's secret, in a file that only its owner may read; made at the first start. Of
 * several processes that make it at once, one does.
 *
 * @throws FirnError `Corrupt`, code `SECRET_INVALID`; `Unavailable`, code `DIR_UNUSABLE`.
 */
export async function deploymentSecret(file: string, prng: Prng): Promise<Uint8Array> {
  const secret = await secretFile(file, prng, () => prng.bytes(SECRET_BYTES));
  if (secret.length === SECRET_BYTES) return secret;
  throw new FirnError(
    "Corrupt",
    "SECRET_INVALID",
    "the secret file has the wrong length: restore it, or delete it to create a new one",
    { file },
  );
}

/**
 * The content of a file that only its owner may read, made where it is absent: as
 * `deploymentSecret`, of any content.
 *
 * @throws FirnError `Unavailable`, code `DIR_UNUSABLE`.
 */
export async function secretFile(
  file: string,
  prng: Prng,
  content: () => Uint8Array,
): Promise<Uint8Array> {
  try {
    const secret = (await readSecret(file)) ?? (await makeSecret(file, prng, content()));
    await removeUnnamed(dirname(file));
    return secret;
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    const context = { file, errno };
    const message = "the directory cannot be used";
    throw new FirnError("Unavailable", "DIR_UNUSABLE", message, context, error);
  }
}

async function readSecret(file: string): Promise<Uint8Array | undefined> {
  try {
    return new Uint8Array(await readFile(file));
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Whole under its name, or not there: a crash leaves at most a temporary file. */
async function makeSecret(file: string, prng: Prng, content: Uint8Array): Promise<Uint8Array> {
  const directory = dirname(file);
  makeDirectories(dirname(directory));
  makeDirectories(directory, PRIVATE_FOLDER);
  const temporary = join(directory, `${TEMPORARY}${Buffer.from(prng.bytes(8)).toString("hex")}`);
  const { O_WRONLY, O_CREAT, O_EXCL } = constants;
  const handle = await open(temporary, O_WRONLY | O_CREAT | O_EXCL, PRIVATE_FILE);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  try {
    await link(temporary, file);
  } catch (error) {
    // Another one's stands there; who has seen that may have removed this one's temporary file.
    if (errnoOf(error) !== "EEXIST" && errnoOf(error) !== "ENOENT") throw error;
  } finally {
    await rm(temporary, { force: true });
  }
  await syncDirectory(directory);
  return new Uint8Array(await readFile(file));
}

/** Temporary files of those that ended while they made one: there is one now, they are done. */
async function removeUnnamed(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (name.startsWith(TEMPORARY)) await rm(join(directory, name), { force: true });
  }
}

/** Windows opens no directory. */
async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(directory, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && "syscall" in error
    ? String(error.code)
    : undefined;
}
