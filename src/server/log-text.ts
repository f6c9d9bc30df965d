/** Fields that a line of text shows in places of their own, or not at all. */
const SHOWN: ReadonlySet<string> = new Set(["level", "time", "msg", "stack"]);
const OF_REQUEST: ReadonlySet<string> = new Set([
  "requestId",
  "method",
  "route",
  "status",
  "ms",
  "namespace",
  "table",
  "view",
]);

type Fields = Readonly<Record<string, unknown>>;

/**
 * A JSON line of the log as a person reads it on a terminal: time of day, level, what happened.
 * Names come from clients: control characters are escaped, so that none reaches the terminal.
 */
export function textLine(json: string): string {
  const fields = JSON.parse(json) as Fields;
  const { level, time, msg, stack } = fields;
  const isRequest = msg === "request";
  const rest = Object.entries(fields)
    .filter(([name]) => !SHOWN.has(name) && !(isRequest && OF_REQUEST.has(name)))
    .map(([name, value]) => `${name}=${valueText(value)}`);
  const words = [
    String(time).slice("2026-01-31T".length, -1),
    String(level).toUpperCase().padEnd(5),
    isRequest ? requestText(fields) : visible(String(msg)),
    ...rest,
  ];
  const lines = typeof stack === "string" ? stack.split("\n") : [];
  const trace = lines.map((text) => `\n    ${visible(text)}`).join("");
  return `${words.join(" ")}${trace}\n`;
}

/** `GET glacier.cores 200 1.2 ms /iceberg/v1/{prefix}/…`; its id where something went wrong. */
function requestText(fields: Fields): string {
  const { method, namespace, table, view, status, ms, route, requestId } = fields;
  const names = [namespace, table ?? view].filter((name) => typeof name === "string");
  return [
    String(method).padEnd(4),
    ...(names.length === 0 ? [] : [visible(names.join("."))]),
    `${status} ${ms} ms`,
    String(route),
    ...(Number(status) >= 400 ? [`requestId=${requestId}`] : []),
  ].join(" ");
}

function valueText(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return visible(/^[^\s"]+$/.test(text) ? text : JSON.stringify(text));
}

/** Without characters that steer a terminal, or turn the direction of a text. */
function visible(text: string): string {
  return text.replace(/\p{C}/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
}
