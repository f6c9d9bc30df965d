import type { Job } from "../../api/resources.ts";
import { FirnError } from "../../base/error.ts";
import { EXIT } from "../exit-codes.ts";
import { showItem } from "../show.ts";
import type { VerbCall } from "./call.ts";
import { confirm } from "./confirm.ts";
import { followJob } from "./follow-job.ts";
import { partsOf } from "./names.ts";
import { nameIn, nameOf, pathOf, resourceOf } from "./target.ts";

/**
 * `firn rm NAME`: drops a table, view, empty namespace or empty catalog; with `--recursive` also
 * what is in it, by a job.
 */
export async function rm(call: VerbCall): Promise<number> {
  const { words, values, screen, place } = call;
  const resource = await resourceOf(place, nameIn(words));
  const name = nameOf(resource);
  const dryRun = values["dryRun"] === true;
  if (!dryRun && !(await confirm(name, values["yes"] === true, screen))) return EXIT.failed;
  const path = pathOf(resource);
  // What was shown is what is dropped: a name that means another thing by now is refused.
  const options = { ifMatch: resource.etag, dryRun };
  const { client } = place;
  const isAll = values["recursive"] === true;
  if (isAll && values["purge"] === true) {
    const message = "a recursive drop keeps the files of tables: give --recursive or --purge";
    throw new FirnError("Invalid", "OPTIONS_INVALID", message);
  }
  const below = isAll ? { query: { recursive: true } } : {};
  let job: Job | undefined;
  switch (resource.type) {
    case "catalog":
      job = await client.call("dropCatalog", { path, ...below }, options);
      break;
    case "namespace":
      job = await client.call("dropNamespace", { path, ...below }, options);
      break;
    case "table": {
      const query = values["purge"] === true ? { query: { purge: true } } : {};
      await client.call("dropTable", { path, ...query }, options);
      break;
    }
    case "view":
      await client.call("dropView", { path }, options);
      break;
  }
  if (job !== undefined && !dryRun) {
    screen.printError(`dropping ${resource.type} ${name} with all that is in it: job ${job.id}\n`);
    return followJob(job, call);
  }
  const isPurged = resource.type === "table" && values["purge"] === true;
  const files = isPurged ? "; its files go with the retention" : "";
  screen.printError(
    dryRun
      ? `would drop ${resource.type} ${name}${isAll ? " with all that is in it" : ""}\n`
      : `dropped ${resource.type} ${name}${files}: firn undrop ${resource.id} brings it back\n`,
  );
  return EXIT.ok;
}

/** `firn mv NAME NEW`: renames, or moves a table, view or namespace within its catalog. */
export async function mv(call: VerbCall): Promise<number> {
  const { words, values, screen, place, format } = call;
  const resource = await resourceOf(place, nameIn(words));
  const to = partsOf(nameIn(words, 1));
  const path = pathOf(resource);
  const options = { ifMatch: resource.etag, dryRun: values["dryRun"] === true };
  const { client } = place;
  const renamed = await (async () => {
    switch (resource.type) {
      case "catalog":
        return client.call("renameCatalog", { path, body: { name: to.join(".") } }, options);
      case "namespace": {
        const body = { path: within(resource.catalog, to, resource.path.slice(0, -1)) };
        return client.call("renameNamespace", { path, body }, options);
      }
      case "table":
      case "view": {
        const names = within(resource.catalog, to, resource.namespace);
        const body = { name: names.at(-1) ?? "", namespace: names.slice(0, -1) };
        return resource.type === "table"
          ? client.call("renameTable", { path, body }, options)
          : client.call("renameView", { path, body }, options);
      }
    }
  })();
  const verb = options.dryRun ? "would rename" : "renamed";
  const line = ["renamed", `${nameOf(resource)} → ${nameOf(renamed)}`] as const;
  if (format.form === "text") screen.printError(`${verb} ${line[1]}\n`);
  else showItem(renamed, renamed.id, format, screen);
  return EXIT.ok;
}

/** A new full name, or a single name beside the old one. */
function within(
  catalog: string,
  to: readonly string[],
  beside: readonly string[],
): readonly string[] {
  if (to.length === 1) return [...beside, ...to];
  const [first, ...rest] = to;
  if (first === catalog) return rest;
  const message = "nothing moves to another catalog: begin the new name with the same catalog";
  throw new FirnError("Invalid", "CATALOG_OTHER", message, { catalog, given: first ?? "" });
}

/** `firn protect NAME [--off]`: a protected thing cannot be dropped. */
export async function protect({ words, values, screen, place }: VerbCall): Promise<number> {
  const resource = await resourceOf(place, nameIn(words));
  const body = { protected: values["off"] !== true };
  const given = { path: pathOf(resource), body };
  const options = { dryRun: values["dryRun"] === true };
  const operation = {
    catalog: "updateCatalog",
    namespace: "updateNamespace",
    table: "updateTable",
    view: "updateView",
  } as const;
  await place.client.call(operation[resource.type], given, options);
  const state = body.protected ? "protected" : "not protected";
  const verb = options.dryRun ? "would be" : "is";
  screen.printError(`${resource.type} ${nameOf(resource)} ${verb} ${state}\n`);
  return EXIT.ok;
}
