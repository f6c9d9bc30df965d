/** One sample of a metric. */
export interface Figure {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export type Figures = readonly Figure[];

const SAMPLE = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** The samples of Prometheus' text format. */
export function readFigures(text: string): Figures {
  return text.split("\n").flatMap((line) => {
    const [, name = "", labels = "", value = ""] = SAMPLE.exec(line) ?? [];
    if (name === "" || line.startsWith("#")) return [];
    const pairs = [...labels.matchAll(LABEL)].map(([, key = "", raw = ""]) => [
      key,
      unescaped(raw),
    ]);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });
}

function unescaped(raw: string): string {
  return raw.replace(/\\(.)/g, (_, char: string) => (char === "n" ? "\n" : char));
}
