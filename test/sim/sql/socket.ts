import { Duplex } from "node:stream";

/** The server's end of a connection that lies in memory: no time passes on the way. */
export class MemorySocket extends Duplex {
  readonly remoteAddress = "127.0.0.1";
  readonly #onBytes: (bytes: Buffer) => void;
  readonly #onGone: () => void;

  /**
   * @param onBytes what the server sends.
   * @param onGone neither side sends any more.
   */
  constructor(onBytes: (bytes: Buffer) => void, onGone: () => void) {
    super();
    this.#onBytes = onBytes;
    this.#onGone = onGone;
  }

  /** What the client sends. */
  receive(bytes: Buffer): void {
    if (!this.destroyed) this.push(bytes);
  }

  setNoDelay(): this {
    return this;
  }

  destroySoon(): void {
    if (this.writableFinished) this.destroy();
    else this.once("finish", () => this.destroy());
  }

  override _read(): void {}

  override _write(bytes: Buffer, _encoding: string, done: () => void): void {
    this.#onBytes(bytes);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#onGone();
    done(error);
  }
}
