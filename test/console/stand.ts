import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { expect } from "vitest";
import { type ServerProcess, startServer } from "../clients/server-process.ts";
import { CHROMIUM } from "../support/chromium.ts";

if (CHROMIUM === undefined) console.log("skipped: no Chromium; apt-get install chromium");

const DOCS = join(import.meta.dirname, "..", "..", "docs", "console");
const AXE = fileURLToPath(import.meta.resolve("axe-core/axe.min.js"));
/** Written into `docs/console/` when this is set; compared by people. */
const WRITES = process.env["FIRN_SCREENSHOTS"] !== undefined;

const NARROW = 360;
const LOOKS = [
  { width: 1_200, colours: ["light", "dark"], reducedMotion: "no-preference" },
  { width: NARROW, colours: ["dark", "light"], reducedMotion: "reduce" },
] as const;
/** The rules of axe that depend on colours. */
const OF_COLOURS = { runOnly: ["color-contrast", "link-in-text-block"] } as const;

export interface Opened {
  readonly page: Page;
  /** What the page said to its console, and what it asked for elsewhere. */
  readonly complaints: string[];
}

/** A server over a directory of its own, and a browser that opens its console. */
export class Stand {
  readonly directory: string;
  readonly #flags: readonly string[];
  readonly #environment: Readonly<Record<string, string>>;
  #server: ServerProcess | undefined;
  #browser: Browser | undefined;

  private constructor(
    directory: string,
    flags: readonly string[],
    environment: Readonly<Record<string, string>>,
  ) {
    this.directory = directory;
    this.#flags = ["--log-level", "error", "--allow-location", `file://${directory}`, ...flags];
    this.#environment = environment;
  }

  static async start(
    flags: readonly string[] = [],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<Stand> {
    const directory = await mkdtemp(join(tmpdir(), "firn-console-"));
    await mkdir(join(directory, "lake"));
    const stand = new Stand(directory, flags, environment);
    await stand.serve();
    const executablePath = CHROMIUM ?? "";
    stand.#browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
    return stand;
  }

  /** Starts the server; again after it was killed, on the port that it had. */
  async serve(port?: string): Promise<void> {
    const flags = port === undefined ? this.#flags : [...this.#flags, "--port", port];
    this.#server = await startServer(this.directory, flags, this.#environment);
  }

  get server(): ServerProcess {
    if (this.#server === undefined) throw new Error("the server was not started");
    return this.#server;
  }

  get url(): string {
    return this.server.url;
  }

  async stop(): Promise<void> {
    await this.#browser?.close();
    await this.#server?.stop();
    await rm(this.directory, { recursive: true, force: true });
  }

  /** A page of a browser that keeps nothing of others. */
  async blank(): Promise<Page> {
    if (this.#browser === undefined) throw new Error("the browser was not started");
    const context = await this.#browser.newContext({ viewport: { width: 1_200, height: 800 } });
    return context.newPage();
  }

  async open(path: string, options: BrowserContextOptions = {}): Promise<Opened> {
    if (this.#browser === undefined) throw new Error("the browser was not started");
    const context = await this.#browser.newContext({
      viewport: { width: 1_200, height: 800 },
      permissions: ["clipboard-read", "clipboard-write"],
      ...options,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    const complaints: string[] = [];
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(this.url) && !/^(?:data|blob):/.test(url)) complaints.push(url);
    });
    await page.goto(`${this.url}/console${path}`);
    await page.locator("main h1").waitFor();
    await page.locator(".loading").first().waitFor({ state: "detached" });
    return { page, complaints };
  }

  /**
   * A view wide and narrow, in both colours: no complaint, axe is content, nothing clipped. Loaded
   * once for each width: colours change under it, as when evening comes.
   */
  async inspect(
    name: string,
    path: string,
    ready: (page: Page) => Promise<unknown> = async () => undefined,
    /** Statuses of refusals that it shows: the browser complains of each. */
    refused: readonly string[] = [],
  ): Promise<void> {
    const isExpected = (text: string) =>
      refused.some((status) => text.includes(`status of ${status}`));
    for (const { width, colours, reducedMotion } of LOOKS) {
      const [colorScheme, ...others] = colours;
      const { page, complaints } = await this.open(path, {
        colorScheme,
        viewport: { width, height: 800 },
        reducedMotion,
      });
      await ready(page);
      expect([name, await violations(page)]).toEqual([name, []]);
      const drawn = await page.evaluate("document.documentElement.scrollWidth");
      expect([name, drawn]).toEqual([name, width]);
      expect([name, await page.evaluate(CLIPPED)]).toEqual([name, []]);
      if (reducedMotion === "reduce") await this.#staysStill(name, page);
      await this.#picture(page, `${name}-${width === NARROW ? "narrow" : colorScheme}`);
      for (const colour of others) {
        await page.emulateMedia({ colorScheme: colour });
        // Colours may fade into each other: between two they are neither.
        await page.evaluate(
          "Promise.all(document.getAnimations().map((one) => one.finished.catch(() => 0)))",
        );
        const found = await violations(page, OF_COLOURS);
        expect([name, colour, width, found]).toEqual([name, colour, width, []]);
        if (width !== NARROW) await this.#picture(page, `${name}-${colour}`);
      }
      expect([name, complaints.filter((one) => !isExpected(one))]).toEqual([name, []]);
      await page.context().close();
    }
  }

  async #staysStill(name: string, page: Page): Promise<void> {
    const moving = "document.getAnimations().filter((one) => one.playState === 'running').length";
    expect([name, await page.evaluate(moving)]).toEqual([name, 0]);
    const held =
      "getComputedStyle(document.querySelector('.bar') ?? document.body).transitionDuration";
    expect([name, await page.evaluate(held)]).toEqual([name, "0s"]);
  }

  async #picture(page: Page, name: string): Promise<void> {
    if (!WRITES) return;
    await mkdir(DOCS, { recursive: true });
    await page.screenshot({ path: join(DOCS, `${name}.png`) });
  }
}

/** What can be used and does not lie within its dialog, or the page, where nothing scrolls. */
const CLIPPED = `[...document.querySelectorAll("main :is(button, input, select, a)")]
  .filter((one) => one.checkVisibility() && !one.closest(".scroll, .tabs, .grid"))
  .filter((one) => one.closest("dialog") === document.querySelector("dialog[open]"))
  .filter((one) => {
    const within = one.closest("dialog")?.getBoundingClientRect().right ?? innerWidth;
    return one.getBoundingClientRect().right > within;
  })
  .map((one) => one.outerHTML)`;

/** Replaces what stands in the editor of SQL, as people do it. */
export async function write(page: Page, statement: string): Promise<void> {
  await page.getByLabel("Statement").focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(statement);
}

/** What axe finds wrong. The page's policy lets nothing in, so the driver brings it, once. */
async function violations(page: Page, options: object = {}): Promise<readonly string[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) {
    await page.evaluate(`(() => {${await readFile(AXE, "utf8")}\n})()`);
  }
  return page.evaluate(async (asked) => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(asked: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
      };
    };
    const found = (await axe.run(asked)).violations;
    return found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
  }, options);
}
