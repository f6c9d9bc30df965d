import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Server as HttpsServer } from "node:https";
import type { Logger } from "pino";
import type { Clock } from "../base/clock.ts";
import { type ErrorContext, FirnError, invalid } from "../base/error.ts";
import { type LoadedTls, loadTls, MIN_VERSION } from "../pgwire/tls.ts";
import { everyMs } from "../runtime/clock.ts";
import { flagOf } from "../runtime/setting-names.ts";
import type { Settings } from "../runtime/settings.ts";

/** How often the files are looked at. */
const LOOK_MS = 10_000;
/** A chain of certificates is a few KiB. */
const FILE_BYTES = 1_048_576;

type TlsFiles = Readonly<Record<"tlsCert" | "tlsKey", string>>;

export interface TlsParts {
  readonly log: Logger;
  readonly clock: Clock;
}

/** What the two files held when they were read. */
interface Pair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/**
 * The certificate and the key that this process shows. They are read again when their files change:
 * connections from then on get the new ones, open ones go on. Files that do not fit each other are
 * not taken: they may be half replaced.
 */
export class ServerTls {
  readonly #files: TlsFiles;
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #servers = new Set<HttpsServer>();
  #pair: Pair;
  #loaded: LoadedTls;
  /** Why the last look found nothing to take, and whether that was logged. */
  #trouble: { readonly text: string; readonly isLogged: boolean } | undefined;

  private constructor(files: TlsFiles, { log, clock }: TlsParts, pair: Pair) {
    this.#files = files;
    this.#log = log;
    this.#clock = clock;
    this.#pair = pair;
    this.#loaded = loadTls(pair);
    this.#warnOfExpiry();
  }

  /**
   * @returns undefined where the settings name no certificate.
   * @throws FirnError `Invalid` `TLS_INVALID`: what of which file is wrong.
   */
  static async open(
    { tlsCert, tlsKey }: Pick<Settings, "tlsCert" | "tlsKey">,
    parts: TlsParts,
  ): Promise<ServerTls | undefined> {
    if (tlsCert === undefined || tlsKey === undefined) return undefined;
    const files = { tlsCert, tlsKey };
    return new ServerTls(files, parts, checked(files, await read(files)));
  }

  /** For connections from now on. */
  get current(): LoadedTls {
    return this.#loaded;
  }

  /** What a server of Node is made with. */
  get options(): Pair & { readonly minVersion: typeof MIN_VERSION } {
    return { ...this.#pair, minVersion: MIN_VERSION };
  }

  /** Gives a server each new certificate, until it closes. */
  serve(server: HttpsServer): void {
    this.#servers.add(server);
    server.once("close", () => this.#servers.delete(server));
  }

  /** Looks at the files. Never rejects. */
  async look(): Promise<void> {
    try {
      const pair = await read(this.#files);
      if (pair.cert.equals(this.#pair.cert) && pair.key.equals(this.#pair.key)) {
        this.#trouble = undefined;
        return;
      }
      this.#loaded = loadTls(checked(this.#files, pair));
      this.#pair = pair;
    } catch (error) {
      this.#keep(error);
      return;
    }
    this.#trouble = undefined;
    for (const server of this.#servers) server.setSecureContext(this.options);
    this.#log.info({ validTo: this.#certificate.validTo }, "TLS certificate reloaded");
    this.#warnOfExpiry();
  }

  /** Looks at the files now and every 10 s. @returns what ends that. */
  watch(): () => void {
    void this.look();
    return everyMs(LOOK_MS, () => void this.look());
  }

  get #certificate(): X509Certificate {
    return new X509Certificate(this.#pair.cert);
  }

  /** Logged from the second look on: an operator may be replacing the files. */
  #keep(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    const isSame = this.#trouble?.text === text;
    if (isSame && this.#trouble?.isLogged === false) {
      const facts: ErrorContext = error instanceof FirnError ? error.context : {};
      this.#log.warn({ ...facts, reason: text }, "the changed TLS files are not used");
    }
    this.#trouble = { text, isLogged: isSame };
  }

  #warnOfExpiry(): void {
    const { validTo, validToDate } = this.#certificate;
    if (validToDate.getTime() > this.#clock.nowMs()) return;
    this.#log.warn({ validTo, file: this.#files.tlsCert }, "the TLS certificate has expired");
  }
}

async function read({ tlsCert, tlsKey }: TlsFiles): Promise<Pair> {
  return { cert: await contentOf("tlsCert", tlsCert), key: await contentOf("tlsKey", tlsKey) };
}

async function contentOf(setting: keyof TlsFiles, file: string): Promise<Buffer> {
  let content: Buffer;
  try {
    content = await readFile(file);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? "unknown";
    const message = `the file of ${flagOf(setting)} cannot be read: ${reason}`;
    throw invalid("TLS_INVALID", message, { file });
  }
  if (content.length <= FILE_BYTES) return content;
  throw invalid("TLS_INVALID", `the file of ${flagOf(setting)} is too large`, {
    file,
    limit: FILE_BYTES,
  });
}

/** @throws FirnError `TLS_INVALID`. */
function checked({ tlsCert, tlsKey }: TlsFiles, pair: Pair): Pair {
  const [certFlag, keyFlag] = [flagOf("tlsCert"), flagOf("tlsKey")];
  let certificate: X509Certificate;
  let key: KeyObject;
  try {
    certificate = new X509Certificate(pair.cert);
  } catch {
    const message = `the file of ${certFlag} must begin with a certificate in PEM form`;
    throw invalid("TLS_INVALID", message, { file: tlsCert });
  }
  try {
    key = createPrivateKey(pair.key);
  } catch {
    const message = `the file of ${keyFlag} must hold a private key in PEM form without a password`;
    throw invalid("TLS_INVALID", message, { file: tlsKey });
  }
  if (!certificate.checkPrivateKey(key)) {
    const message = `the key of ${keyFlag} does not belong to the first certificate of ${certFlag}`;
    throw invalid("TLS_INVALID", message, { cert: tlsCert, key: tlsKey });
  }
  try {
    loadTls(pair);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `the files of ${certFlag} and ${keyFlag} cannot be used: ${reason}`;
    throw invalid("TLS_INVALID", message, { cert: tlsCert, key: tlsKey });
  }
  return pair;
}
