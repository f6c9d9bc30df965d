import type { Format } from "../../api/resources.ts";
import { connectSnippets, rowSnippets, type Snippet } from "../connect.ts";
import { client, useLoaded } from "../data.ts";
import { Code } from "../parts/copy.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import type { Path } from "../route.ts";
import { STRINGS } from "../strings.ts";

interface ConnectProps {
  readonly catalog: string;
  readonly namespace: Path;
  readonly table: string;
  readonly format: Format;
}

/** How each client reaches this table: lines to copy. */
export function Connect({ format, ...target }: ConnectProps) {
  if (format === "ROW") return <ConnectRows {...target} />;
  return <Snippets snippets={connectSnippets({ url: location.origin, ...target })} />;
}

function Snippets({ snippets }: { readonly snippets: readonly Snippet[] }) {
  return (
    <div class="columns wide-ones">
      {snippets.map(({ client: name, code }) => (
        <section key={name} class="panel">
          <h2>{name}</h2>
          <Code text={code} />
        </section>
      ))}
    </div>
  );
}

function ConnectRows(target: Omit<ConnectProps, "format">) {
  const info = useLoaded("info", () => client.call("getInfo", {}));
  const host = location.hostname;
  return (
    <Shown {...info}>
      {({ postgresPort: port }) =>
        port === undefined ? (
          <Empty text={STRINGS.noPostgres} />
        ) : (
          <Snippets snippets={rowSnippets({ host, port, ...target })} />
        )
      }
    </Shown>
  );
}
