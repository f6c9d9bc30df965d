import type { Format } from "../../api/resources.ts";
import { connectSnippets, rowSnippets, type Snippet } from "../connect.ts";
import { client, useLoaded } from "../data.ts";
import { Code } from "../parts/copy.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import type { Path } from "../route.ts";
import { who } from "../session.ts";
import { STRINGS } from "../strings.ts";

interface ConnectProps {
  readonly catalog: string;
  readonly namespace: Path;
  readonly table: string;
  readonly format: Format;
}

/** How each client reaches this table: lines to copy. */
export function Connect({ format, ...place }: ConnectProps) {
  const principal = who.value?.principal;
  const target = { ...place, ...(principal !== undefined && { principal }) };
  return (
    <>
      {principal !== undefined && <p class="dim">{STRINGS.tokenIs}</p>}
      {format === "ROW" ? (
        <ConnectRows {...target} />
      ) : (
        <Snippets snippets={connectSnippets({ url: location.origin, ...target })} />
      )}
    </>
  );
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

function ConnectRows(target: Omit<ConnectProps, "format"> & { readonly principal?: string }) {
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
