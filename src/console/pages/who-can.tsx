import { useState } from "preact/hooks";
import type { Explained } from "../../api/access-operations.ts";
import { PRIVILEGES, type Privilege } from "../../api/privileges.ts";
import { client } from "../data.ts";
import { countText } from "../format.ts";
import { Grid } from "../parts/grid.tsx";
import { Link } from "../parts/link.tsx";
import { useRun } from "../parts/use-run.ts";
import { STRINGS } from "../strings.ts";

/** Principals asked about at once. */
const AT_ONCE = 8;

interface Answer {
  readonly isDone: boolean;
  readonly asked: number;
  readonly allowed: readonly Explained[];
}

/** Every principal, roles left out: a role does nothing itself. */
async function* principals(): AsyncGenerator<string> {
  for (let pageToken: string | undefined; ; ) {
    const query = { pageSize: 1_000, ...(pageToken !== undefined && { pageToken }) };
    const page = await client.call("listPrincipals", { query });
    for (const { name, kind } of page.items) if (kind !== "ROLE") yield name;
    pageToken = page.nextPageToken;
    if (pageToken === undefined) return;
  }
}

/** Which principals hold a privilege on something, and where they have it from. */
export function WhoCan() {
  const { refusal, run } = useRun();
  const [answer, setAnswer] = useState<Answer>();
  const ask = async (form: HTMLFormElement) => {
    const data = new FormData(form);
    const text = (name: string) => String(data.get(name) ?? "").trim();
    const [catalog, namespace, name] = [text("catalog"), text("namespace"), text("name")];
    const object = {
      ...(catalog !== "" && { catalog }),
      ...(namespace !== "" && { namespace: namespace.split(".") }),
      ...(name !== "" && { name }),
    };
    const privilege = text("privilege") as Privilege;
    const allowed: Explained[] = [];
    let asked = 0;
    setAnswer({ isDone: false, asked, allowed: [] });
    const isDone = await run(async () => {
      const left = principals();
      const work = async (): Promise<void> => {
        for (let next = await left.next(); next.done !== true; next = await left.next()) {
          const body = { principal: next.value, privilege, ...object };
          const found = await client.call("explainAccess", { body });
          asked++;
          if (found.allowed) allowed.push(found);
          setAnswer({ isDone: false, asked, allowed: [...allowed] });
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
    });
    if (isDone) setAnswer({ isDone, asked, allowed: [...allowed] });
    else setAnswer(undefined);
  };
  return (
    <section class="panel">
      <h2>{STRINGS.whoCan}</h2>
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          void ask(event.currentTarget);
        }}
      >
        <label>
          {STRINGS.privilege}{" "}
          <select name="privilege">
            {PRIVILEGES.map((privilege) => (
              <option key={privilege} value={privilege} selected={privilege === "read-data"}>
                {privilege}
              </option>
            ))}
          </select>
        </label>
        <label>
          {STRINGS.catalog} <input name="catalog" autocomplete="off" spellcheck={false} />
        </label>
        <label>
          {STRINGS.namespace} <input name="namespace" autocomplete="off" spellcheck={false} />
        </label>
        <label>
          {STRINGS.tableOrView} <input name="name" autocomplete="off" spellcheck={false} />
        </label>
        <button type="submit">{STRINGS.ask}</button>
      </form>
      <p class="dim">{STRINGS.whoCanWhat}</p>
      {refusal !== undefined && <p role="alert">{refusal}</p>}
      {answer !== undefined && <Allowed answer={answer} />}
    </section>
  );
}

function Allowed({ answer: { isDone, asked, allowed } }: { readonly answer: Answer }) {
  return (
    <>
      <p role="status">
        {countText(allowed.length)} of {countText(asked)} principals {isDone ? "can." : "so far…"}
      </p>
      <Grid
        label={STRINGS.whoCan}
        items={allowed}
        keyOf={({ principal }) => principal}
        columns={[
          {
            name: "Principal",
            of: ({ principal }) => (
              <Link to={{ view: "principal", name: principal }}>{principal}</Link>
            ),
            sort: (a, b) => (a.principal < b.principal ? -1 : 1),
          },
          { name: "Because", of: ({ because }) => because.join("; ") },
        ]}
      />
    </>
  );
}
