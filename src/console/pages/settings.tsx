import { client, useLoaded } from "../data.ts";
import { countText } from "../format.ts";
import { Facts } from "../parts/facts.tsx";
import { Shown } from "../parts/states.tsx";
import { STRINGS } from "../strings.ts";

/** What this node is, who one is to it, and what its requests come to. */
export function SettingsPage() {
  const { data, error } = useLoaded("settings", async () => {
    const [info, me, usage] = await Promise.all([
      client.call("getInfo", {}),
      client.call("getMe", {}),
      client.call("getUsage", {}),
    ]);
    return { info, me, usage };
  });
  return (
    <>
      <h1 tabIndex={-1}>{STRINGS.settings}</h1>
      <Shown data={data} error={error}>
        {({ info, me, usage }) => (
          <>
            <Facts
              facts={[
                ["Version", info.version],
                ["Account", me.account],
                ["Signed in as", me.principal],
                ["May", me.privileges.join(", ")],
                ["Requests since its start", countText(usage.total.requests)],
                ["Reads of pointers", countText(usage.total.pointerReads)],
                ["Writes of pointers", countText(usage.total.pointerWrites)],
                ["Reads of objects", countText(usage.total.blobReads)],
                ["Writes of objects", countText(usage.total.blobWrites)],
                ["Stores charge", `${usage.total.dollars.toFixed(6)} USD since its start`],
              ]}
            />
            <p>
              <a href="/api/docs">The native API</a>
            </p>
          </>
        )}
      </Shown>
    </>
  );
}
