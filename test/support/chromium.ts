import { existsSync } from "node:fs";

/** Where Debian and others put it; undefined where it is not installed. */
export const CHROMIUM: string | undefined = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
].find((path) => existsSync(path));
