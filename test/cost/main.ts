import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Prices, US_EAST_1 } from "../../src/service/stores/prices.ts";
import { renderCosts } from "./document.ts";

const DOCUMENT = join(import.meta.dirname, "..", "..", "docs", "cost.md");
const USAGE = `usage: npx node test/cost/main.ts [--price NAME=DOLLARS]... | --write

Prints what operations and months cost, with other prices than the lists' where they are given:
${Object.keys(US_EAST_1).join(", ")}. --write renews docs/cost.md.`;

/** @throws Error that says what is wrong. */
function pricesOf(texts: readonly string[]): Prices {
  const changed: Record<string, string | number> = { ...US_EAST_1 };
  for (const text of texts) {
    const [name = "", value = ""] = text.split("=");
    if (!(name in US_EAST_1)) throw new Error(`no price ${name}`);
    const isText = typeof changed[name] === "string";
    if (!isText && !(Number(value) >= 0 && value !== "")) throw new Error(`no dollars: ${text}`);
    changed[name] = isText ? value : Number(value);
  }
  return changed as unknown as Prices;
}

try {
  const { values } = parseArgs({
    options: {
      price: { type: "string", multiple: true, default: [] },
      write: { type: "boolean", default: false },
    },
  });
  const text = renderCosts(pricesOf(values.price));
  if (values.write) await writeFile(DOCUMENT, renderCosts(US_EAST_1));
  else process.stdout.write(text);
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}\n${USAGE}`);
  process.exitCode = 2;
}
