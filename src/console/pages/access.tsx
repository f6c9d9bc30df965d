import { useRef } from "preact/hooks";
import type { PrincipalInfo } from "../../api/access-operations.ts";
import { client, useLoaded } from "../data.ts";
import { Heading } from "../parts/heading.tsx";
import { NamedGrid } from "../parts/named-grid.tsx";
import { Shown } from "../parts/states.tsx";
import { usePages } from "../parts/use-pages.ts";
import { useRun } from "../parts/use-run.ts";
import { STRINGS } from "../strings.ts";
import { WhoCan } from "./who-can.tsx";

/** Who may come in: principals and roles. */
export function AccessPage() {
  const page = (pageToken?: string) =>
    client.call("listPrincipals", {
      query: { pageSize: 200, ...(pageToken !== undefined && { pageToken }) },
    });
  const first = useLoaded("principals", () => page());
  const more = usePages(first.data?.nextPageToken, page);
  return (
    <>
      <Heading name={STRINGS.access}>
        <Create onDone={() => void first.reload()} />
      </Heading>
      <Shown {...first}>
        {({ items }) => (
          <>
            <Principals items={[...items, ...more.items]} onEnd={more.next} />
            <WhoCan />
          </>
        )}
      </Shown>
    </>
  );
}

function Create({ onDone }: { readonly onDone: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  const { refusal, run } = useRun();
  const create = async (operation: "createPrincipal" | "createRole") => {
    const name = field.current?.value ?? "";
    if (!(await run(() => client.call(operation, { body: { name } })))) return;
    if (field.current !== null) field.current.value = "";
    onDone();
  };
  return (
    <form class="actions" onSubmit={(event) => event.preventDefault()}>
      {refusal !== undefined && <p role="alert">{refusal}</p>}
      <input
        ref={field}
        aria-label={STRINGS.newName}
        placeholder={STRINGS.newName}
        autocomplete="off"
        spellcheck={false}
      />
      <button type="button" onClick={() => void create("createPrincipal")}>
        {STRINGS.createPrincipal}
      </button>
      <button type="button" onClick={() => void create("createRole")}>
        {STRINGS.createRole}
      </button>
    </form>
  );
}

interface PrincipalsProps {
  readonly items: readonly PrincipalInfo[];
  readonly onEnd: (() => void) | undefined;
}

function Principals({ items, onEnd }: PrincipalsProps) {
  const routeTo = ({ name }: PrincipalInfo) => ({ view: "principal", name }) as const;
  return (
    <NamedGrid
      label={STRINGS.access}
      icon="principal"
      items={items}
      routeTo={routeTo}
      onEnd={onEnd}
      sortAs="sort"
      columns={[
        {
          name: "Kind",
          of: ({ kind, suspended }) => `${kind.toLowerCase()}${suspended ? ", suspended" : ""}`,
        },
        { name: "Roles", of: ({ roles }) => roles.join(", "), isExtra: true },
        { name: "Keys", of: ({ keys }) => keys.length, isNumber: true },
        { name: "Description", of: ({ description }) => description, isExtra: true },
      ]}
    />
  );
}
