import type { Clock } from "../../base/clock.ts";
import { FirnError } from "../../base/error.ts";
import type { AccountId } from "../../base/ids.ts";
import { isWithin } from "../../blob/locations.ts";
import type { Stored } from "../../catalog/entities.ts";
import type { StorageProfile } from "../../catalog/model.ts";
import { unjudged } from "../../catalog/name-access.ts";
import type { StorageProfiles } from "../../catalog/storage-profiles.ts";
import type { Version } from "../../pointer/port.ts";
import { credentialsIn, type ProfileSecrets, type StoreCredentials } from "./profile-secrets.ts";

/** A profile, and what to reach its stores with. */
export interface ServedProfile {
  readonly profile: StorageProfile;
  /** Another one after each change of the profile or its credentials. */
  readonly key: string;
  /** Undefined: as the process finds them. */
  readonly credentials: StoreCredentials | undefined;
}

/** The profiles of one account. */
export interface ProfileSource {
  readonly account: AccountId;
  readonly profiles: StorageProfiles;
}

export interface ProfileIndexParts {
  readonly clock: Clock;
  readonly secrets: ProfileSecrets;
  /** How long what is known may be old; undefined: only this process changes it. */
  readonly stalenessMs: number | undefined;
  /** The text of a file of this machine. */
  readonly readFile: (path: string) => Promise<string>;
}

/** A file is read again after so long: who renews its credentials waits for that. */
const FILE_MS = 10_000;

interface Kept {
  readonly key: string;
  readonly credentials: StoreCredentials | undefined;
  readonly readMs: number;
}

/**
 * Which profile serves a location: the one of the longest root above it. Empty until it is told
 * whose profiles it holds.
 */
export class ProfileIndex {
  readonly #parts: ProfileIndexParts;
  #sources: (() => Promise<readonly ProfileSource[]>) | undefined;
  #onRoots: (roots: readonly string[]) => void = () => {};
  /** The longest root first. */
  #roots: readonly { readonly root: string; readonly of: Owned }[] = [];
  #versions: readonly Version[] | undefined;
  #readMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;
  readonly #kept = new Map<string, Kept>();

  constructor(parts: ProfileIndexParts) {
    this.#parts = parts;
  }

  /** @param onRoots told of all roots whenever they are read. */
  serve(
    sources: () => Promise<readonly ProfileSource[]>,
    onRoots: (roots: readonly string[]) => void = () => {},
  ): void {
    this.#sources = sources;
    this.#onRoots = onRoots;
    this.changed();
  }

  /** Whether no profile was known when it last looked. */
  get isEmpty(): boolean {
    return this.#roots.length === 0;
  }

  /** What is known is old. */
  changed(): void {
    this.#versions = undefined;
    this.#readMs = Number.NEGATIVE_INFINITY;
  }

  /** Reads what is new. Warm: no request, or one read where what is known may be old. */
  async refresh(): Promise<void> {
    if (this.#sources === undefined) return;
    const { clock, stalenessMs = Number.POSITIVE_INFINITY } = this.#parts;
    if (clock.monotonicMs() - this.#readMs < stalenessMs) return;
    this.#reading ??= unjudged(() => this.#read()).finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  /**
   * The profile that serves a canonical location; undefined: none does.
   *
   * @throws FirnError `Unavailable` `STORAGE_SECRET_UNREADABLE`.
   */
  async serving(location: string): Promise<ServedProfile | undefined> {
    await this.refresh();
    const found = this.#roots.find(({ root }) => isWithin(location, root));
    return found && this.#served(found.of);
  }

  async #read(): Promise<void> {
    const askedMs = this.#parts.clock.monotonicMs();
    const sources = (await this.#sources?.()) ?? [];
    const versions = await Promise.all(sources.map(({ profiles }) => profiles.version()));
    const known = this.#versions;
    const isSame =
      known?.length === versions.length && versions.every((version, i) => version === known[i]);
    if (!isSame) {
      const found: { readonly root: string; readonly of: Owned }[] = [];
      for (const { account, profiles } of sources) {
        for (const stored of await profiles.all()) {
          const of = { account, profiles, stored };
          for (const root of stored.entity.roots) found.push({ root, of });
        }
      }
      this.#roots = found.sort((a, b) => b.root.length - a.root.length);
      this.#versions = versions;
      const ids = new Set(found.map(({ of }) => of.stored.entity.id as string));
      for (const id of this.#kept.keys()) if (!ids.has(id)) this.#kept.delete(id);
      this.#onRoots(found.map(({ root }) => root));
    }
    this.#readMs = askedMs;
  }

  /** The credentials are read once a version, those of a file now and then. */
  async #served(owned: Owned): Promise<ServedProfile> {
    const { entity: profile, item } = owned.stored;
    const begins = `${profile.id}@${item.version}`;
    const nowMs = this.#parts.clock.monotonicMs();
    const kept = this.#kept.get(profile.id);
    const isFresh = profile.secretKind !== "FILE" || nowMs - (kept?.readMs ?? 0) < FILE_MS;
    if (kept?.key.startsWith(`${begins}:`) === true && isFresh) return { ...kept, profile };
    const { credentials, stamp } = await this.#credentialsOf(owned);
    const now = { key: `${begins}:${stamp}`, credentials, readMs: nowMs };
    this.#kept.set(profile.id, now);
    return { ...now, profile };
  }

  async #credentialsOf({
    account,
    profiles,
    stored: { entity: profile },
  }: Owned): Promise<{ credentials: StoreCredentials | undefined; stamp: string }> {
    const { secrets, readFile } = this.#parts;
    switch (profile.secretKind) {
      case "AMBIENT":
        return { credentials: undefined, stamp: "" };
      case "FILE": {
        const text = await readFile(profile.secretFile).catch((error: unknown) => {
          throw unreadable(profile, error);
        });
        const credentials = credentialsIn(text);
        return { credentials, stamp: credentials.accessKeyId };
      }
      case "SEALED": {
        const { secretId: id } = profile;
        const found = id && (await profiles.secret(id));
        const opened = id && found && secrets.open({ account, id }, found.sealed);
        if (id === undefined || opened === undefined) throw unreadable(profile);
        // What only the other secret opens would end with that.
        if (!opened.isCurrent) {
          await profiles.resealed(id, secrets.seal({ account, id }, opened.credentials));
        }
        return { credentials: opened.credentials, stamp: id };
      }
    }
  }
}

interface Owned extends ProfileSource {
  readonly stored: Stored<StorageProfile>;
}

function unreadable({ name }: StorageProfile, cause?: unknown): FirnError {
  const message =
    "the credentials of the storage profile cannot be read: give them again, or see FIRN_SECRET";
  const facts = { profile: name };
  return new FirnError("Unavailable", "STORAGE_SECRET_UNREADABLE", message, facts, cause);
}
