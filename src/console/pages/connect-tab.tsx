import type { Format } from "../../api/resources.ts";
import { connectSnippets, rowSnippets, type Snippet } from "../connect.ts";
import { client, useLoaded } from "../data.ts";
import { useLook } from "../navigation.ts";
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

/** One client at a time: its lines have the whole width. */
function Snippets({ snippets }: { readonly snippets: readonly Snippet[] }) {
  const [chosen, setChosen] = useLook("client");
  const shown = snippets.find(({ client: name }) => name === chosen) ?? snippets[0];
  return (
    <>
      <ul class="cards" aria-label={STRINGS.clients}>
        {snippets.map(({ client: name }) => (
          <li key={name}>
            <button
              type="button"
              aria-pressed={name === shown?.client}
              onClick={() => setChosen(name)}
            >
              {name}
            </button>
          </li>
        ))}
      </ul>
      {shown !== undefined && (
        <section class="snippet" aria-label={shown.client}>
          <Code text={shown.code} />
        </section>
      )}
    </>
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
