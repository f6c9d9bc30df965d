import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { readFile, rename } from "node:fs/promises";
import { join, relative } from "node:path";
import { type StandIn, startStandIn } from "../cloud/stand-in.ts";

const VERSION = "26.7.3";
const HERE = import.meta.dirname;
const TARGET = join(HERE, "clients", "target");
const HOME = join(TARGET, `keycloak-${VERSION}`);
const REALM = join(HERE, "keycloak-realm.json");
/** Of the one run: its administrator makes the realm. */
const ADMIN = { username: "admin", password: "the-password-of-admin" } as const;
/** It compiles itself at its first start, on two slow cores for minutes. */
const START_LIMIT_MS = 540_000;

/**
 * Keycloak with the realm of `keycloak-realm.json`, in memory; unpacked once.
 *
 * @returns what is missing, where it cannot be had.
 */
export async function startKeycloak(): Promise<StandIn | string> {
  if (spawnSync("java", ["-version"], { stdio: "ignore" }).status !== 0) {
    return "Keycloak: no Java from 17 on (apt: default-jre-headless)";
  }
  if (!existsSync(HOME) && !(await unpack())) return "Keycloak: Maven has not got it";
  console.log("starting Keycloak, which takes minutes");
  const server = await startStandIn((port) => ({
    name: "Keycloak",
    command: join(HOME, "bin", "kc.sh"),
    args: ["start-dev", "--db", "dev-mem", "--http-host", "127.0.0.1", "--http-port", `${port}`],
    env: {
      JAVA_OPTS_APPEND: "-XX:TieredStopAtLevel=1",
      KC_BOOTSTRAP_ADMIN_USERNAME: ADMIN.username,
      KC_BOOTSTRAP_ADMIN_PASSWORD: ADMIN.password,
    },
    startLimitMs: START_LIMIT_MS,
  }));
  try {
    await makeRealm(server.url);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

/** By its API: an import at the start is refused by the database of this version. */
async function makeRealm(url: string): Promise<void> {
  const form = { grant_type: "password", client_id: "admin-cli", ...ADMIN };
  const body = new URLSearchParams(form);
  const token = `${url}/realms/master/protocol/openid-connect/token`;
  const response = await done(await fetch(token, { method: "POST", body }));
  const { access_token } = (await response.json()) as { readonly access_token: string };
  const headers = { authorization: `Bearer ${access_token}`, "content-type": "application/json" };
  const realm = await readFile(REALM, "utf8");
  await done(await fetch(`${url}/admin/realms`, { method: "POST", headers, body: realm }));
}

async function done(response: Response): Promise<Response> {
  if (response.ok) return response;
  throw new Error(`Keycloak answers ${response.status}: ${await response.text()}`);
}

/** Whether it is there now; a half-unpacked one has another name. */
async function unpack(): Promise<boolean> {
  const shown = relative(process.cwd(), HOME);
  console.log(`unpacking Keycloak ${VERSION} into ${shown}; the first time fetches 177 MB`);
  mkdirSync(TARGET, { recursive: true });
  const partial = mkdtempSync(join(TARGET, "partial-"));
  const artifact = `org.keycloak:keycloak-quarkus-dist:${VERSION}:zip`;
  const goal = ["dependency:unpack", `-Dartifact=${artifact}`, `-DoutputDirectory=${partial}`];
  const stdio = ["ignore", "inherit", "inherit"] as const;
  const { status } = spawnSync("mvn", ["-q", "-B", ...goal], { cwd: partial, stdio: [...stdio] });
  if (status === 0) await rename(join(partial, `keycloak-${VERSION}`), HOME);
  rmSync(partial, { recursive: true, force: true });
  return status === 0;
}
