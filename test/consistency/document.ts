import { PROFILES, type Profile } from "../../src/runtime/settings.ts";
import { type Claim, LEVELS, type Question } from "./claims.ts";

const INTRODUCTION = `# Consistency

<!-- Generated from test/consistency/ by \`npm run gen\`; do not edit. -->

What a reader sees while others write, and what becomes of a write that nobody heard an answer to:
eleven questions that one asks of any ordered store, answered for each profile, for who speaks HTTP
to a node and at the ports beneath.

Every answer below is a check of \`test/consistency/questions/\`, and this page is made of the same
table, so none stands without its test. \`npm test\` runs a part of them, and
\`npm run test:consistency\` all, on every profile that they name: \`memory\` and \`local\` as they
are, \`bucket\` and \`aws\` through the AWS SDK against models of S3 and DynamoDB on a port of this
machine, behind a network that loses, delays and repeats; \`aws\` as two nodes.
Each question names stores that are broken on purpose, over which its checks must fail, and do.

What these models cannot show is the services' own word: S3 and DynamoDB are taken to be strongly
consistent where they say so, and every start tries what it can of that ([storage.md](storage.md)).
`;

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
    `Its checks fail over ${[...broken].join("; ")}.`,
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
