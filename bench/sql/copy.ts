import type { Client, Submittable } from "pg";

/** What `pg` gives of its connection to what is submitted. */
interface CopyConnection {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** COPY FROM STDIN, by the driver that the other statements go by. */
export function copyIn(client: Client, text: string, chunks: Iterable<Buffer>): Promise<void> {
  return new Promise((resolve, reject) => {
    const copy = {
      submit: (connection: CopyConnection) => connection.query(text),
      handleCopyInResponse(connection: CopyConnection) {
        for (const chunk of chunks) connection.sendCopyFromChunk(chunk);
        connection.endCopyFrom();
      },
      // The driver tells what failed nothing more.
      handleError: reject,
      handleRowDescription: () => undefined,
      handleDataRow: () => undefined,
      handleCommandComplete: () => undefined,
      handleReadyForQuery: () => resolve(),
    };
    client.query(copy as unknown as Submittable);
  });
}
