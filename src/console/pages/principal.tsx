import { useRef, useState } from "preact/hooks";
import type { GrantInfo, NewApiKey, PrincipalInfo } from "../../api/access-operations.ts";
import type { FoundThing, Thing } from "../../api/resources.ts";
import { client, useLoaded } from "../data.ts";
import { go } from "../navigation.ts";
import { Ago } from "../parts/ago.tsx";
import { Confirm } from "../parts/confirm.tsx";
import { Code, Id } from "../parts/copy.tsx";
import { Facts } from "../parts/facts.tsx";
import { FullName } from "../parts/full-name.tsx";
import { Heading } from "../parts/heading.tsx";
import { Shown } from "../parts/states.tsx";
import { useRun } from "../parts/use-run.ts";
import { STRINGS } from "../strings.ts";
import { GrantForm } from "./grant-form.tsx";

/** One principal or role: its keys, roles and grants. */
export function PrincipalView({ name }: { readonly name: string }) {
  const { data, error, reload } = useLoaded(`principal ${name}`, async () => {
    const [principal, grants] = await Promise.all([
      client.call("getPrincipal", { path: { principal: name } }),
      client.call("listGrants", { query: { principal: name } }),
    ]);
    return { principal, grants: grants.items, names: await namesOf(grants.items) };
  });
  const onDone = () => void reload();
  return (
    <>
      <Heading icon="principal" name={name} badges={badgesOf(data?.principal)}>
        {data !== undefined && <Actions principal={data.principal} onDone={onDone} />}
      </Heading>
      <Shown data={data} error={error}>
        {({ principal, grants, names }) => (
          <>
            <Facts
              facts={[
                ["Description", principal.description || "—"],
                ["Id", <Id key="id" id={principal.id} />],
              ]}
            />
            <div class="columns">
              {principal.kind === "LOCAL" && <Keys principal={principal} onDone={onDone} />}
              <Roles principal={principal} onDone={onDone} />
            </div>
            <section class="panel">
              <h2>{STRINGS.grants}</h2>
              <Grants grants={grants} names={names} />
              <GrantForm principal={name} onDone={onDone} />
            </section>
          </>
        )}
      </Shown>
    </>
  );
}

function badgesOf(principal: PrincipalInfo | undefined): readonly string[] {
  if (principal === undefined) return [];
  return [principal.kind.toLowerCase(), ...(principal.suspended ? ["suspended"] : [])];
}

const NAMED: ReadonlySet<string> = new Set(["catalog", "namespace", "table", "view"]);
/** As many as one request names. */
const MOST_NAMED = 100;

/** Names of what grants are on. */
async function namesOf(grants: readonly GrantInfo[]): Promise<readonly FoundThing[]> {
  const things = grants
    .filter(({ type }) => NAMED.has(type))
    .map(({ type, id }) => ({ type: type as Thing["type"], id }))
    .slice(0, MOST_NAMED);
  if (things.length === 0) return [];
  return (await client.call("findNames", { body: { things } })).items;
}

interface PartProps {
  readonly principal: PrincipalInfo;
  readonly onDone: () => void;
}

function Refusal({ text }: { readonly text: string | undefined }) {
  return text === undefined ? null : <p role="alert">{text}</p>;
}

function Actions({ principal: { name, suspended, kind }, onDone }: PartProps) {
  const { refusal, run } = useRun();
  const path = { principal: name };
  const suspend = async () => {
    const body = { suspended: !suspended };
    if (await run(() => client.call("updatePrincipal", { path, body }))) onDone();
  };
  const remove = async () => {
    const isDone = await run(() => client.call("deletePrincipal", { path }));
    if (isDone) go({ view: "access" });
    return isDone;
  };
  return (
    <div class="actions">
      <Refusal text={refusal} />
      {kind !== "ROLE" && (
        <button type="button" onClick={() => void suspend()}>
          {suspended ? STRINGS.unsuspend : STRINGS.suspend}
        </button>
      )}
      <Confirm
        action={STRINGS.delete}
        name={name}
        text={STRINGS.confirmDelete}
        onConfirm={remove}
      />
    </div>
  );
}

function Keys({ principal: { name, keys }, onDone }: PartProps) {
  const [made, setMade] = useState<NewApiKey>();
  const description = useRef<HTMLInputElement>(null);
  const { refusal, run } = useRun();
  const create = () =>
    run(async () => {
      const body = { description: description.current?.value ?? "" };
      setMade(await client.call("createKey", { path: { principal: name }, body }));
      onDone();
    });
  const revoke = (key: string) => async () => {
    const isDone = await run(() => client.call("deleteKey", { path: { principal: name, key } }));
    if (isDone) onDone();
    return isDone;
  };
  return (
    <section class="panel">
      <h2>{STRINGS.apiKeys}</h2>
      {made !== undefined && (
        <div role="status">
          <p>{STRINGS.shownOnce}</p>
          <Code text={made.key} />
        </div>
      )}
      <Refusal text={refusal} />
      {keys.length === 0 && <p class="dim">{STRINGS.none}</p>}
      <ul class="plain listed">
        {keys.map(({ id, description: text, createdAt, expiresAt }) => (
          <li key={id}>
            <Id id={id} />
            <span>{text}</span>
            <span class="dim">
              created <Ago time={createdAt} />
              {expiresAt !== undefined && (
                <>
                  , ends <Ago time={expiresAt} />
                </>
              )}
            </span>
            <Confirm
              action={STRINGS.revoke}
              name={id}
              text={STRINGS.confirmRevoke}
              onConfirm={revoke(id)}
            />
          </li>
        ))}
      </ul>
      <p class="actions">
        <label>
          {STRINGS.description} <input ref={description} autocomplete="off" />
        </label>
        <button type="button" onClick={() => void create()}>
          {STRINGS.createKey}
        </button>
      </p>
    </section>
  );
}

function Roles({ principal: { name, roles }, onDone }: PartProps) {
  const role = useRef<HTMLInputElement>(null);
  const { refusal, run } = useRun();
  const add = async () => {
    const path = { role: role.current?.value ?? "" };
    if (await run(() => client.call("addMember", { path, body: { principal: name } }))) onDone();
  };
  const leave = async (from: string) => {
    const path = { role: from, member: name };
    if (await run(() => client.call("removeMember", { path }))) onDone();
  };
  return (
    <section class="panel">
      <h2>{STRINGS.roles}</h2>
      <Refusal text={refusal} />
      {roles.length === 0 && <p class="dim">{STRINGS.none}</p>}
      <ul class="plain listed">
        {roles.map((one) => (
          <li key={one}>
            <span>{one}</span>
            <button type="button" onClick={() => void leave(one)}>
              {STRINGS.endMembership}
            </button>
          </li>
        ))}
      </ul>
      <p class="actions">
        <label>
          {STRINGS.role} <input ref={role} autocomplete="off" spellcheck={false} />
        </label>
        <button type="button" onClick={() => void add()}>
          {STRINGS.addToRole}
        </button>
      </p>
    </section>
  );
}

interface GrantsProps {
  readonly grants: readonly GrantInfo[];
  readonly names: readonly FoundThing[];
}

function Grants({ grants, names }: GrantsProps) {
  if (grants.length === 0) return <p class="dim">{STRINGS.none}</p>;
  return (
    <table class="small">
      <thead>
        <tr>
          <th scope="col">{STRINGS.grantedOn}</th>
          <th scope="col">{STRINGS.privileges}</th>
        </tr>
      </thead>
      <tbody>
        {grants.map(({ type, id, privileges }) => {
          const found = names.find((one) => one.id === id);
          return (
            <tr key={id}>
              <th scope="row">
                {type} {found === undefined ? <Id id={id} /> : <FullName found={found} />}
              </th>
              <td>{privileges.join(", ")}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
