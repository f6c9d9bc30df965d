import fs, { promises } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename } from "node:path";
import { Fate, type Plan } from "./fate.ts";

/*
 * Loaded before a server (`node --import`): what it does to its secret's files goes through a fate,
 * for which the file-system calls themselves are wrapped, as nothing stands between it and them.
 */

const fate = new Fate(JSON.parse(process.env["SECRET_FATE"] ?? "{}") as Plan);
const { link, open, readFile, rm } = promises;
const { mkdirSync } = fs;

const isSecret = (path: unknown): boolean => /^\.?secret\b/.test(basename(String(path)));
const around = <A extends readonly unknown[], T>(
  step: string,
  call: (...args: A) => Promise<T>,
  concerns: (...args: A) => boolean = (...[path]) => isSecret(path),
): ((...args: A) => Promise<T>) => {
  return (...args) =>
    concerns(...args) ? fate.meet(`secret: ${step}`, () => call(...args)) : call(...args);
};
const isDirectory = (path: unknown): boolean => basename(String(path)).startsWith("firn-secret-");

type Open = typeof open;
const opening = async (...args: Parameters<Open>): ReturnType<Open> => {
  const [path] = args;
  if (isDirectory(path)) {
    const handle = await open(...args);
    handle.sync = around("sync the directory", handle.sync.bind(handle), () => true);
    return handle;
  }
  if (!isSecret(path)) return open(...args);
  const handle = await fate.meet("secret: open a temporary file", () => open(...args));
  handle.sync = around("sync the file", handle.sync.bind(handle), () => true);
  const writeFile = handle.writeFile.bind(handle);
  handle.writeFile = (data, options) =>
    fate.meet(
      "secret: write the file",
      () => writeFile(data, options),
      () => writeFile((data as Uint8Array).subarray(0, 7)),
    );
  return handle;
};

Object.assign(promises, {
  open: opening,
  link: around("name the file", link),
  rm: around("remove the temporary name", rm as (path: string, options?: object) => Promise<void>),
  readFile: around(
    "read the file",
    readFile as (path: string, options?: object) => Promise<unknown>,
  ),
});
const making = (path: string, options?: object): unknown => {
  const make = () => mkdirSync(path, options);
  return isDirectory(path) ? fate.doNow("secret: make the directory", make) : make();
};
Object.assign(fs, { mkdirSync: making });
syncBuiltinESMExports();
