import { invalid } from "../base/error.ts";
import type { Datum } from "../rows/datum.ts";
import type { Prepared } from "../sql/plan/plan.ts";
import type { Started } from "../sql/session/started.ts";
import { bare, type Format, parameterDescription, rowDescription } from "./answers.ts";
import { WIRE_LIMITS } from "./limits.ts";
import { MessageReader, utf8 } from "./message-reader.ts";
import { BACKEND, FRONTEND } from "./message-types.ts";
import { protocolViolation } from "./protocol-violation.ts";
import { formatOf, type Peer, sendRows, sendStarted } from "./results.ts";

interface Portal {
  readonly prepared: Prepared | undefined;
  readonly parameters: readonly Datum[];
  readonly formats: readonly Format[];
  /** The transaction that it belongs to: it ends with that. */
  readonly transaction: number;
  /** Its rows are those of the session's cursor of its name. */
  readonly isCursor: boolean;
  started: Started | undefined;
  isDone: boolean;
}

/** Prepared statements and portals of a connection. */
export class ExtendedQueries {
  readonly #peer: Peer;
  readonly #portals = new Map<string, Portal>();

  constructor(peer: Peer) {
    this.#peer = peer;
  }

  /** A simple query ends the unnamed statement and portal, as PostgreSQL's does. */
  dropUnnamed(): void {
    this.#peer.session.prepared.delete("");
    void this.#closePortal("");
  }

  async parse(body: Buffer): Promise<void> {
    const reader = new MessageReader(body);
    const name = reader.text();
    const text = reader.text();
    const types = Array.from({ length: reader.uint16() }, () => reader.uint32());
    reader.end();
    const { session, out } = this.#peer;
    if (name !== "" && session.prepared.has(name)) {
      throw invalid("PREPARED_STATEMENT_EXISTS", `prepared statement "${name}" already exists`, {
        sqlState: "42P05",
      });
    }
    if (session.prepared.size >= WIRE_LIMITS.prepared) {
      const message = "too many prepared statements: close those that are not needed";
      throw invalid("PREPARED_STATEMENTS_EXCEEDED", message, { sqlState: "53000" });
    }
    const statements = await session.parse(text);
    if (statements.length > 1) {
      const message = "cannot insert multiple commands into a prepared statement";
      throw invalid("STATEMENTS_SEVERAL", message, { sqlState: "42601" });
    }
    const [statement] = statements;
    // Nothing at all may be prepared too: it is answered with `EmptyQueryResponse`.
    const prepared = statement && (await session.prepare(statement, types));
    session.prepared.set(name, prepared);
    bare(out, BACKEND.parseComplete);
  }

  async bind(body: Buffer): Promise<void> {
    const reader = new MessageReader(body);
    const portalName = reader.text();
    const prepared = await this.#statement(reader.text());
    const formats = formatsOf(reader);
    const count = reader.uint16();
    if (formats.length > 1 && formats.length !== count) {
      const message =
        `bind message has ${formats.length} parameter formats ` + `but ${count} parameters`;
      throw protocolViolation(message);
    }
    const types = prepared?.parameterTypes ?? [];
    if (count !== types.length) {
      const message =
        `bind message supplies ${count} parameters, but prepared statement requires ` +
        `${types.length}`;
      throw protocolViolation(message);
    }
    const { session, out } = this.#peer;
    session.checkBind(prepared);
    const parameters = readParameters(reader, this.#peer, types, formatOf(formats));
    const results = formatsOf(reader);
    reader.end();
    const columns = prepared?.columns?.length ?? 0;
    if (results.length > 1 && results.length !== columns) {
      const message =
        `bind message has ${results.length} result formats ` + `but query has ${columns} columns`;
      throw protocolViolation(message);
    }
    if (portalName !== "" && this.#find(portalName) !== undefined) {
      throw invalid("PORTAL_EXISTS", `cursor "${portalName}" already exists`, {
        sqlState: "42P03",
      });
    }
    await this.#closePortal(portalName);
    if (this.#portals.size >= WIRE_LIMITS.portals) {
      throw invalid("PORTALS_EXCEEDED", "too many open portals", { sqlState: "53000" });
    }
    const isCursor = portalName !== "" && prepared?.plan.onlyReads === true;
    if (isCursor) await session.openPortal(portalName, prepared as Prepared, parameters);
    const transaction = session.transactionFor(prepared);
    const state = { isCursor, started: undefined, isDone: false };
    this.#portals.set(portalName, {
      prepared,
      parameters,
      formats: results,
      transaction,
      ...state,
    });
    bare(out, BACKEND.bindComplete);
  }

  async describe(body: Buffer): Promise<void> {
    const { kind, name } = named(body);
    const { out, session } = this.#peer;
    if (kind === "P" && this.#find(name) === undefined && session.cursors.has(name)) {
      rowDescription(out, session.cursors.get(name).columns, formatOf([]));
      return;
    }
    const portal = kind === "P" ? this.#portal(name) : undefined;
    const prepared = portal === undefined ? await this.#statement(name) : portal.prepared;
    if (kind === "S") parameterDescription(out, prepared?.parameterTypes ?? []);
    if (prepared?.columns === undefined) bare(out, BACKEND.noData);
    else rowDescription(out, prepared.columns, formatOf(portal?.formats ?? []));
  }

  async execute(body: Buffer): Promise<void> {
    const reader = new MessageReader(body);
    const name = reader.text();
    const limit = reader.int32();
    reader.end();
    const { session, out } = this.#peer;
    const found = this.#find(name);
    if (found?.isCursor ?? session.cursors.has(name)) {
      await this.#executeCursor(name, limit, found?.formats ?? []);
      return;
    }
    const portal = this.#portal(name);
    if (portal.prepared === undefined) {
      bare(out, BACKEND.emptyQueryResponse);
      return;
    }
    if (portal.isDone) {
      if (portal.started?.kind !== "rows") {
        throw invalid("PORTAL_DONE", `portal "${name}" cannot be run`, { sqlState: "55000" });
      }
      // PostgreSQL says so of a portal whose rows have all been sent.
      out.begin(BACKEND.commandComplete).text(`${portal.prepared.tag} 0`).end();
      return;
    }
    // What stands alone between two `Sync` may be made last at once, and done again by the server.
    const isAlone = this.#peer.nextIs(FRONTEND.sync);
    portal.started ??= await session.start(portal.prepared, portal.parameters, isAlone);
    const most = limit > 0 ? { most: limit } : {};
    const sending = { describes: false, formats: portal.formats, ...most };
    const isEnd = await sendStarted(this.#peer, portal.started, sending);
    portal.isDone = isEnd !== false;
  }

  /** Sends rows of a cursor: it is suspended where it gave as many as were asked for. */
  async #executeCursor(name: string, limit: number, formats: readonly Format[]): Promise<void> {
    const { session, out } = this.#peer;
    const most = limit > 0 ? limit : Number.POSITIVE_INFINITY;
    const started = await session.portalRows(name, most, this.#peer.nextIs(FRONTEND.sync));
    if (started.kind !== "rows") return;
    await sendRows(this.#peer, started, { describes: false, formats });
    const tag = await started.finish();
    if (tag === `SELECT ${limit}`) bare(out, BACKEND.portalSuspended);
    else out.begin(BACKEND.commandComplete).text(tag).end();
  }

  async close(body: Buffer): Promise<void> {
    const { kind, name } = named(body);
    if (kind === "S") this.#peer.session.prepared.delete(name);
    else await this.#closePortal(name);
    bare(this.#peer.out, BACKEND.closeComplete);
  }

  async #closePortal(name: string): Promise<void> {
    const portal = this.#find(name);
    this.#portals.delete(name);
    const { cursors } = this.#peer.session;
    if ((portal?.isCursor ?? true) && cursors.has(name)) cursors.close(name);
    const started = portal?.started;
    if (started !== undefined && started.kind !== "done" && portal?.isDone === false) {
      await started.close();
    }
  }

  async #statement(name: string): Promise<Prepared | undefined> {
    const { prepared } = this.#peer.session;
    if (!prepared.has(name)) {
      const message =
        name === ""
          ? "unnamed prepared statement does not exist"
          : `prepared statement "${name}" does not exist`;
      throw invalid("PREPARED_STATEMENT_NOT_FOUND", message, { sqlState: "26000" });
    }
    return await this.#peer.session.current(name);
  }

  #find(name: string): Portal | undefined {
    const portal = this.#portals.get(name);
    const { transaction, cursors } = this.#peer.session;
    const isGone = portal?.isCursor === true && !cursors.has(name);
    const isOver = isGone || portal?.transaction !== transaction;
    if (portal !== undefined && isOver) {
      this.#portals.delete(name);
      return undefined;
    }
    return portal;
  }

  #portal(name: string): Portal {
    const portal = this.#find(name);
    if (portal !== undefined) return portal;
    throw invalid("PORTAL_NOT_FOUND", `portal "${name}" does not exist`, { sqlState: "34000" });
  }
}

function formatsOf(reader: MessageReader): Format[] {
  return Array.from({ length: reader.uint16() }, () => {
    const format = reader.int16();
    if (format === 0 || format === 1) return format;
    throw invalid("FORMAT_INVALID", `unsupported format code: ${format}`, { sqlState: "22023" });
  });
}

function readParameters(
  reader: MessageReader,
  { session }: Peer,
  types: readonly number[],
  format: (parameter: number) => Format,
): Datum[] {
  return types.map((oid, index) => {
    const length = reader.int32();
    if (length === -1) return null;
    const bytes = reader.bytes(length);
    if (format(index) === 1) return session.readBinary(oid, bytes, index);
    return session.readText(oid, parameterText(bytes));
  });
}

function parameterText(bytes: Buffer): string {
  const text = utf8(bytes);
  if (!text.includes("\0")) return text;
  throw invalid("TEXT_INVALID", 'invalid byte sequence for encoding "UTF8": 0x00', {
    sqlState: "22021",
  });
}

function named(body: Buffer): { readonly kind: "S" | "P"; readonly name: string } {
  const reader = new MessageReader(body);
  const kind = String.fromCharCode(reader.byte());
  const name = reader.text();
  reader.end();
  if (kind === "S" || kind === "P") return { kind, name };
  throw protocolViolation(`invalid subtype "${kind}" of a Describe or Close message`);
}
