import { chromium } from "playwright-core";
import { CHROMIUM } from "../../support/chromium.ts";

/*
 * Opens pages of the console and tells what a person reads there, as lines of JSON: `node
 * console-pages.ts URL PATH=TEXT…`, each page once its TEXT is seen. What it complains of is told
 * too.
 */

const WAIT_MS = 30_000;

async function tell(url: string, pages: readonly string[]): Promise<void> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM ?? "",
    args: ["--no-sandbox"],
  });
  try {
    for (const asked of pages) {
      const at = asked.indexOf("=");
      const page = await browser.newPage({ viewport: { width: 1_200, height: 800 } });
      const complaints: string[] = [];
      page.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) complaints.push(message.text());
      });
      page.on("pageerror", (error) => complaints.push(String(error)));
      await page.goto(`${url}/console${asked.slice(0, at)}`);
      const wanted = page.getByText(asked.slice(at + 1)).first();
      await wanted.waitFor({ timeout: WAIT_MS }).catch(async (error: unknown) => {
        const text = await page.locator("body").innerText();
        throw new Error(`${page.url()} says: ${text}`, { cause: error });
      });
      const text = (await page.locator("main").innerText()).replaceAll(/\s+/g, " ");
      console.log(JSON.stringify({ text, complaints }));
      await page.close();
    }
  } finally {
    await browser.close();
  }
}

const [url, ...pages] = process.argv.slice(2);
if (import.meta.main && url !== undefined) await tell(url, pages);
