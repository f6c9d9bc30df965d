import { connectSnippets } from "../connect.ts";
import { Code } from "../parts/copy.tsx";
import type { Path } from "../route.ts";

interface ConnectProps {
  readonly catalog: string;
  readonly namespace: Path;
  readonly table: string;
}

/** How each client reaches this table: lines to copy. */
export function Connect(target: ConnectProps) {
  return (
    <>
      {connectSnippets({ url: location.origin, ...target }).map(({ client, code }) => (
        <section key={client}>
          <h2>{client}</h2>
          <Code text={code} />
        </section>
      ))}
    </>
  );
}
