import type { Change, FoundThing } from "../../api/resources.ts";
import { shortId } from "../format.ts";
import { go } from "../navigation.ts";
import { Ago } from "../parts/ago.tsx";
import { Id } from "../parts/copy.tsx";
import { FullName } from "../parts/full-name.tsx";
import { Grid } from "../parts/grid.tsx";
import { Icon, type IconName } from "../parts/icon.tsx";
import { routeToFound } from "../route.ts";
import { STRINGS } from "../strings.ts";

interface ChangeLinesProps {
  readonly changes: readonly Change[];
  readonly names: readonly FoundThing[];
}

/** Changes, newest first. */
export function ChangeLines({ changes, names }: ChangeLinesProps) {
  const byId = new Map(names.map((name) => [name.id, name]));
  return (
    <Grid
      label={STRINGS.changes}
      items={changes}
      keyOf={({ id }) => id}
      onOpen={({ entities: [first] }) => {
        const found = byId.get(first?.id ?? "");
        if (found !== undefined) go(routeToFound(found));
      }}
      columns={[
        { name: "When", of: ({ time }) => <Ago time={time} /> },
        { name: "What", of: ({ operation }) => operation },
        { name: "Of", of: ({ entities }) => <Changed entities={entities} names={byId} /> },
        { name: "Who", of: ({ principal }) => principal, isExtra: true },
        {
          name: "Request",
          of: ({ requestId }) => <Id id={requestId} text={shortId(requestId)} />,
          isExtra: true,
        },
      ]}
    />
  );
}

const ICONS: ReadonlySet<string> = new Set(["catalog", "namespace", "table", "view", "principal"]);

interface ChangedProps extends Pick<Change, "entities"> {
  readonly names: ReadonlyMap<string, FoundThing>;
}

/** What a change was of: by its name now, or by its id where it has none any more. */
function Changed({ entities, names }: ChangedProps) {
  const [first, ...more] = entities;
  if (first === undefined) return "—";
  const found = names.get(first.id);
  const others = more.length === 0 ? "" : ` and ${more.length} more`;
  return (
    <span class="marked" title={`${first.type} ${first.id}`}>
      {ICONS.has(first.type) && <Icon name={first.type as IconName} />}
      {found === undefined ? (
        <>
          {first.type} <code>{shortId(first.id)}</code>
        </>
      ) : (
        <FullName found={found} />
      )}
      {others}
    </span>
  );
}
