import { PROFILES, type Profile } from "../../src/runtime/settings.ts";
import { type Claim, LEVELS, type Question } from "./claims.ts";

const INTRODUCTION = `# Consistency

<!-- Generated from test/consistency/ by \`npm run gen\`; do not edit. -->

What readers see during writes, and the outcome of a write whose response was lost. Eleven
questions, answered for each profile, over HTTP and at the ports beneath.

Each answer is a check in \`test/consistency/questions/\`; \`npm run gen\` makes this page of
them. \`npm test\` runs some checks, \`npm run test:consistency\` all, on every profile named.
\`bucket\` and \`aws\` run against models of S3 and DynamoDB on a local port, over a network that
loses, delays and repeats requests; \`aws\` runs as two nodes. Each question also names broken
stores on which its checks must fail.

The models cannot show what the services themselves guarantee. Firn relies on the documented
strong consistency of S3 and DynamoDB, and tests what it can at each start
([storage.md](storage.md)). `;

/** `docs/consistency.md`, of the table of questions. */
export function renderConsistency(questions: readonly Question[]): string {
  return [INTRODUCTION, overview(questions), ...questions.map(section)].join("\n");
}

/** What the overview says of a question on a profile. */
export function inShort({ claims }: Question, profile: Profile): string {
  return claims
    .filter(({ short, profiles }) => short !== undefined && profiles.includes(profile))
    .map(({ short }) => short)
    .join("; ");
}

function overview(questions: readonly Question[]): string {
  const rows = questions.map((question, i) => {
    const cells = PROFILES.map((profile) => inShort(question, profile));
    const link = `[${question.title}](#${anchorOf(question, i)})`;
    return row([`${i + 1}`, link, ...cells]);
  });
  const head = row(["", "over HTTP", ...PROFILES.map((profile) => `\`${profile}\``)]);
  return [head, "|---|---|---|---|---|---|", ...rows, ""].join("\n");
}

function section(question: Question, i: number): string {
  const { title, asks, claims } = question;
  const broken = new Set(claims.flatMap((claim) => (claim.broken ?? []).map(({ what }) => what)));
  return [
    `## ${i + 1}. ${title}`,
    "",
    asks,
    "",
    "| at | profiles | answer |",
    "|---|---|---|",
    ...claims.map(answerRow),
    "",
    `The checks fail on: ${[...broken].join("; ")}.`,
    "",
  ].join("\n");
}

function answerRow({ level, profiles, answer }: Claim): string {
  const all = profiles.length === PROFILES.length;
  const named = profiles.map((profile) => `\`${profile}\``).join(", ");
  return row([LEVELS[level], all ? "all" : named, answer]);
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function anchorOf({ title }: Question, i: number): string {
  return `${i + 1}-${title.toLowerCase().replaceAll(" ", "-")}`;
}
