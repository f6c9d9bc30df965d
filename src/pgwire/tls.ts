import { createHash, X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import { createSecureContext, type SecureContext, TLSSocket } from "node:tls";
import { type FirnError, invalid } from "../base/error.ts";

/** What TLS is spoken with. */
export interface TlsIdentity {
  /** PEM: the certificate of the server, then those that vouch for it. */
  readonly cert: string | Uint8Array;
  readonly key: string | Uint8Array;
}

/** A certificate ready for connections. */
export interface LoadedTls {
  readonly context: SecureContext;
  /** What SCRAM binds to (RFC 5929, `tls-server-end-point`). */
  readonly binding: Buffer;
}

/** The protocol that clients name which speak TLS from the first byte on. */
export const ALPN = "postgresql";

/** What this process speaks at least, on every port. */
export const MIN_VERSION = "TLSv1.2";

/** The first byte of a TLS connection: a handshake record. */
export const TLS_HANDSHAKE = 0x16;

/** @throws Error as OpenSSL refuses the certificate or the key. */
export function loadTls({ cert, key }: TlsIdentity): LoadedTls {
  const context = createSecureContext({
    cert: Buffer.from(cert),
    key: Buffer.from(key),
    minVersion: MIN_VERSION,
  });
  return { context, binding: bindingOf(new X509Certificate(Buffer.from(cert))) };
}

/** The certificate's hash by the function that it is signed with; SHA-256 for MD5 and SHA-1. */
function bindingOf(certificate: X509Certificate): Buffer {
  const name = /sha-?(224|256|384|512)/i.exec(certificate.signatureAlgorithm ?? "")?.[1] ?? "256";
  return createHash(`sha${name}`).update(certificate.raw).digest();
}

/** Refuses a session that is not encrypted. */
export function tlsRequired(message = "connections without TLS are refused"): FirnError {
  const hint = "Connect with sslmode=require.";
  return invalid("TLS_REQUIRED", message, { sqlState: "28000", fatal: true, hint });
}

/** Speaks TLS as the server over a connection; its bytes that were read already come first. */
export function secured(socket: Socket, { context }: LoadedTls): TLSSocket {
  const secure = new TLSSocket(socket, {
    isServer: true,
    secureContext: context,
    ALPNProtocols: [ALPN],
  });
  // Of a socket that no TLS server of Node accepted, a record that does not decrypt is told by this
  // event alone. Nothing more can be read then.
  secure.on("_tlsError", (error: Error) => secure.destroy(error));
  return secure;
}

/** Waits for the handshake. @returns whether it succeeded. */
export function handshaken(socket: TLSSocket): Promise<boolean> {
  return new Promise((resolve) => {
    socket.once("secure", () => resolve(true));
    socket.once("error", () => resolve(false));
    socket.once("close", () => resolve(false));
    // A client that refuses the certificate only stops to send.
    socket.once("end", () => resolve(false));
  });
}
