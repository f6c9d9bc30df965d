import type { Socket } from "node:net";
import type { SessionStartup, WireTunnel } from "../../pgwire/connection.ts";
import type { WireListener } from "../../pgwire/listener.ts";
import type { SessionCredential, SignedIn } from "../../service/access/session-sign-in.ts";
import { ShardElsewhere, shardClosing } from "../../service/shards/shard-elsewhere.ts";
import type { ShardNode } from "../../service/shards/shared-shard.ts";
import type { SqlSession } from "../../sql/session/session.ts";
import type { Peers } from "./peers.ts";

const SESSION = "sql/session";
const CANCEL = "sql/cancel";

export type SessionLogin = Pick<SessionStartup, "user" | "database" | "settings">;

/** A session whose client has signed in, as another node is asked to go on with it. */
export interface SessionAsked {
  readonly startup: SessionLogin;
  readonly requestId: string;
  readonly address: string | undefined;
  /** Absent: nodes ask no client who it is. */
  readonly credential: SessionCredential | undefined;
}

/** What serves the sessions that other nodes send here. */
export interface SessionHost {
  readonly listener: Pick<WireListener, "adopt" | "cancel" | "hasRoom">;
  /** @throws FirnError where the credential is no longer good. */
  readonly resume: (credential: SessionCredential | undefined) => Promise<SignedIn | undefined>;
  readonly open: (signedIn: SignedIn | undefined, asked: SessionAsked) => Promise<SqlSession>;
}

/**
 * PostgreSQL sessions between nodes. A client signs in at the node that it reached; where another
 * node owns the rows of its database, that one opens the session, and bytes go through the first.
 */
export class SqlTunnels {
  readonly #peers: Peers;
  /** Nodes that sessions go to, and how many. */
  readonly #targets = new Map<string, { readonly node: Target; count: number }>();

  constructor(peers: Peers) {
    this.#peers = peers;
  }

  /** Opens a session here, or at the node that owns its rows. @throws as `Forwarder.settle`. */
  open(local: () => Promise<SqlSession>, asked: SessionAsked): Promise<SqlSession | WireTunnel> {
    const settings = [...asked.startup.settings];
    const { user, database } = asked.startup;
    const sent = { ...asked, startup: { user, database, settings } };
    const { forwarder } = this.#peers;
    return forwarder.settle<SqlSession | WireTunnel>(local, async (elsewhere) => {
      const { owner } = elsewhere.pointer;
      const opened = await forwarder.watched(elsewhere, (given) =>
        this.#peers.open(owner, SESSION, sent, given),
      );
      if (typeof opened !== "object") return opened;
      this.#keep(owner, opened);
      const onRelay = () => void this.#watch(elsewhere, opened.tunnel as Socket);
      return { ...opened, onRelay };
    });
  }

  /** Tells every node that sessions were sent to: which of them has it is not known here. */
  cancel(pid: number, secret: number): void {
    for (const { node } of this.#targets.values()) {
      this.#peers.call(node, CANCEL, { pid, secret }).catch(() => undefined);
    }
  }

  /** Serves the sessions that other nodes send here. */
  serve({ listener, resume, open }: SessionHost): void {
    this.#peers.serveSessions(SESSION, async (sent) => {
      if (!listener.hasRoom) throw shardClosing("");
      const asked = askedIn(sent);
      const signedIn = await resume(asked.credential).catch((error: unknown) => ({ error }));
      const opening =
        signedIn !== undefined && "error" in signedIn
          ? Promise.reject(signedIn.error)
          : open(signedIn, asked);
      // One that is not ours is refused, any other trouble is the client's to hear.
      await opening.catch((error: unknown) => {
        if (error instanceof ShardElsewhere) throw error;
      });
      const adopted = { signedIn: signedIn && "error" in signedIn ? undefined : signedIn, opening };
      return (socket, head) => listener.adopt(socket as Socket, head, adopted);
    });
    this.#peers.serve(CANCEL, async (sent) => {
      const { pid, secret } = sent as { pid: number; secret: number };
      return { found: listener.cancel(pid, secret) };
    });
  }

  /** Ends a tunnel whose far end takes what the client says, and answers nothing any more. */
  async #watch(elsewhere: ShardElsewhere, tunnel: Socket): Promise<void> {
    let answered = tunnel.bytesWritten;
    tunnel.on("data", () => {
      answered = tunnel.bytesWritten;
    });
    const closed = (given: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        given.addEventListener("abort", () => tunnel.destroy(), { once: true });
        tunnel.once("close", () => resolve());
      });
    await this.#peers.forwarder.watched(elsewhere, closed, () => tunnel.bytesWritten > answered);
  }

  #keep(node: Target, { tunnel }: Pick<WireTunnel, "tunnel">): void {
    const kept = this.#targets.get(node.node) ?? { node, count: 0 };
    kept.count++;
    this.#targets.set(node.node, kept);
    tunnel.once("close", () => {
      kept.count--;
      if (kept.count === 0) this.#targets.delete(node.node);
    });
  }
}

type Target = Pick<ShardNode, "node" | "url">;

/** A node of ours wrote it. */
function askedIn(sent: unknown): SessionAsked {
  const { startup, ...asked } = sent as Omit<SessionAsked, "startup"> & {
    readonly startup: Omit<SessionLogin, "settings"> & {
      readonly settings: readonly (readonly [string, string])[];
    };
  };
  return { ...asked, startup: { ...startup, settings: new Map(startup.settings) } };
}
