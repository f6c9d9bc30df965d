import { useRef, useState } from "preact/hooks";
import type { Explained, GrantObject } from "../../api/access-operations.ts";
import { PRIVILEGES, type Privilege } from "../../api/privileges.ts";
import { client } from "../data.ts";
import { useRun } from "../parts/use-run.ts";
import { STRINGS } from "../strings.ts";

interface Asked {
  readonly object: GrantObject;
  readonly privileges: readonly Privilege[];
}

/** What the form holds: empty fields are of the levels above. */
function askedOf(form: HTMLFormElement): Asked {
  const data = new FormData(form);
  const text = (name: string) => String(data.get(name) ?? "");
  const [catalog, namespace, name] = [text("catalog"), text("namespace"), text("name")];
  return {
    object: {
      ...(catalog !== "" && { catalog }),
      ...(namespace !== "" && { namespace: namespace.split(".") }),
      ...(name !== "" && { name }),
    },
    privileges: PRIVILEGES.filter((one) => data.getAll("privilege").includes(one)),
  };
}

const LEVELS = [
  ["catalog", STRINGS.catalog],
  ["namespace", STRINGS.namespace],
  ["name", STRINGS.tableOrView],
] as const;

/** Grants and revokes, and tells where a privilege comes from. */
export function GrantForm({
  principal,
  onDone,
}: {
  readonly principal: string;
  readonly onDone: () => void;
}) {
  const form = useRef<HTMLFormElement>(null);
  const [explained, setExplained] = useState<readonly Explained[]>([]);
  const { refusal, run } = useRun();
  const asked = () => (form.current === null ? undefined : askedOf(form.current));
  const change = async (operation: "grant" | "revoke") => {
    const given = asked();
    if (given === undefined) return;
    const body = { principal, privileges: given.privileges, ...given.object };
    setExplained([]);
    if (await run(() => client.call(operation, { body }))) onDone();
  };
  const explain = () =>
    run(async () => {
      const { object = {}, privileges = [] } = asked() ?? {};
      const answers = privileges.map((privilege) =>
        client.call("explainAccess", { body: { principal, privilege, ...object } }),
      );
      setExplained(await Promise.all(answers));
    });
  return (
    <form ref={form} onSubmit={(event) => event.preventDefault()}>
      <fieldset>
        <legend>{STRINGS.privileges}</legend>
        {PRIVILEGES.map((privilege) => (
          <label key={privilege}>
            <input type="checkbox" name="privilege" value={privilege} /> {privilege}
          </label>
        ))}
      </fieldset>
      <p class="actions">
        {LEVELS.map(([name, label]) => (
          <label key={name}>
            {label} <input name={name} autocomplete="off" spellcheck={false} size={14} />
          </label>
        ))}
      </p>
      <p class="dim">{STRINGS.grantOn}</p>
      <p class="actions">
        <button type="button" onClick={() => void change("grant")}>
          {STRINGS.grant}
        </button>
        <button type="button" onClick={() => void change("revoke")}>
          {STRINGS.revoke}
        </button>
        <button type="button" onClick={() => void explain()}>
          {STRINGS.explain}
        </button>
      </p>
      {refusal !== undefined && <p role="alert">{refusal}</p>}
      {explained.length > 0 && (
        <table class="small" aria-label={STRINGS.explain}>
          <tbody>
            {explained.map(({ privilege, allowed, because }) => (
              <tr key={privilege}>
                <th scope="row">{privilege}</th>
                <td>{allowed ? "allowed" : "not allowed"}</td>
                <td>{because.join("; ")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </form>
  );
}
