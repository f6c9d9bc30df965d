import { readFile, stat } from "node:fs/promises";
import { FirnError } from "../base/error.ts";
import { isLoopbackHost } from "../base/loopback.ts";
import { isWithin, type Locations } from "../blob/locations.ts";
import { RemoteSigning } from "../service/access/remote-signing.ts";
import { Vending } from "../service/access/vending.ts";
import { ProfileIndex } from "../service/stores/profile-index.ts";
import { ProfileSecrets } from "../service/stores/profile-secrets.ts";
import type { AccountLake } from "./lake.ts";
import { otherSecrets } from "./secret.ts";
import type { Settings } from "./settings.ts";
import type { Components, Stores } from "./stores.ts";

const SECRET_FILE_BYTES = 65_536;

/** The storage profiles of an account, which are told later whose they are. */
export function profileIndex(
  secret: Stores["secret"],
  settings: Settings,
  { clock, prng }: Pick<Components, "clock" | "prng">,
): ProfileIndex {
  return new ProfileIndex({
    clock,
    secrets: new ProfileSecrets([secret, ...otherSecrets(settings)], prng),
    // On the other profiles nothing but this process writes.
    stalenessMs: settings.profile === "aws" ? settings.accessStaleness : undefined,
    readFile: readSecretFile,
  });
}

/** What stands there is never told: an error names the path alone. */
export async function readSecretFile(path: string): Promise<string> {
  const { size } = await stat(path);
  if (size > SECRET_FILE_BYTES) throw new RangeError("too large for credentials");
  return readFile(path, "utf8");
}

/** Without a profile another account reaches its own folder alone. */
export function ownFolder(folder: string | undefined): (location: string) => void {
  return (location) => {
    if (folder === undefined || isWithin(location, folder)) return;
    const message = "no storage profile serves the location";
    const facts = { location: location.slice(0, 200) };
    throw new FirnError("Invalid", "LOCATION_NOT_ALLOWED", message, facts);
  };
}

/** What gives access to the files of tables away: with `none`, off loopback, nothing does. */
export function fileAccessOf(
  { auth, host, vendRole, vendLifetime: lifeMs, remoteSigning }: Settings,
  { clock }: Pick<Components, "clock">,
  locations: Locations,
  profiles: ProfileIndex,
  lake: Pick<AccountLake, "lenderOf" | "signingOf">,
): { readonly vending?: Vending; readonly signing?: RemoteSigning } {
  if (auth === "none" && !isLoopbackHost(host)) return {};
  return {
    vending: new Vending({
      clock,
      lifeMs,
      locations,
      isOn: () => vendRole !== undefined || !profiles.isEmpty,
      lenderOf: (location) => lake.lenderOf(location),
    }),
    signing: new RemoteSigning({
      locations,
      isOn: () => remoteSigning !== "off" || !profiles.isEmpty,
      storeOf: (location) => lake.signingOf(location),
    }),
  };
}
