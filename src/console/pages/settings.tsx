import type { NodeSetting, Usage } from "../../api/status-operations.ts";
import { client, useLoaded } from "../data.ts";
import { countText, dollarsText } from "../format.ts";
import { Facts, Figure } from "../parts/facts.tsx";
import { Heading } from "../parts/heading.tsx";
import { Shown } from "../parts/states.tsx";
import { STRINGS } from "../strings.ts";

/** What this node is, how it is set, who one is to it, and what its requests come to. */
export function SettingsPage() {
  const node = useLoaded("node", () => client.call("getNode", {}));
  return (
    <>
      <Heading name={STRINGS.settings} />
      <Shown {...node}>
        {({ info, me, usage, settings }) => (
          <>
            <Facts
              facts={[
                ["Version", info.version],
                ["Account", me.account],
                ["Signed in as", me.principal],
                ["May", me.privileges.join(", ")],
                ["PostgreSQL port", info.postgresPort ?? "none"],
                ["Native API", <DocsLink key="docs" />],
              ]}
            />
            {usage !== undefined && (
              <>
                <h2>{STRINGS.sinceStart}</h2>
                <Used usage={usage} />
              </>
            )}
            {settings !== undefined && (
              <>
                <h2>{STRINGS.ofThisNode}</h2>
                <Settings items={settings} />
              </>
            )}
          </>
        )}
      </Shown>
    </>
  );
}

function DocsLink() {
  return <a href="/api/docs">/api/docs</a>;
}

function Used({ usage: { total } }: { readonly usage: Usage }) {
  return (
    <div class="figures">
      <Figure name="Requests" value={countText(total.requests)} />
      <Figure name="Pointer reads" value={countText(total.pointerReads)} />
      <Figure name="Pointer writes" value={countText(total.pointerWrites)} />
      <Figure name="Object reads" value={countText(total.blobReads)} />
      <Figure name="Object writes" value={countText(total.blobWrites)} />
      <Figure name="Stores charge" value={dollarsText(total.dollars)} />
    </div>
  );
}

/** What stands between backticks is code. */
function marked(doc: string) {
  return doc.split("`").map((part, i) => (i % 2 === 0 ? part : <code key={i}>{part}</code>));
}

/** Those that were chosen first. */
function Settings({ items }: { readonly items: readonly NodeSetting[] }) {
  const ordered = [...items].sort((a, b) => Number(b.given) - Number(a.given));
  return (
    <table class="small" aria-label={STRINGS.ofThisNode}>
      <thead>
        <tr>
          <th scope="col">Setting</th>
          <th scope="col">Value</th>
          <th scope="col" class="extra">
            Meaning
          </th>
        </tr>
      </thead>
      <tbody>
        {ordered.map(({ name, value, given, doc }) => (
          <tr key={name}>
            <th scope="row">
              <code>{name}</code>
            </th>
            <td>
              <code>{value}</code> {!given && <span class="badge">default</span>}
            </td>
            <td class="extra dim">{marked(doc)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
