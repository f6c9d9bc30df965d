import { FirnError } from "../../src/base/error.ts";
import { checkStore } from "../catalog/support/check-store.ts";
import { answerOf, type Node, type Operation } from "../catalog/support/operations.ts";
import { type Content, Doubles, EMPTY } from "./doubles.ts";
import type { Kind } from "./kinds.ts";
import { type Process, SITES, type Site } from "./sites.ts";
import { LOOKS, type Subject, TREE, WARM } from "./subjects.ts";
import { type Seen, type Strike, SUBJECT, type Wires } from "./wires.ts";

/** A fault at a request of the subject, and whether the rival comes just before it. */
export interface Blow {
  readonly step: string;
  readonly kind?: Kind;
  readonly rival: boolean;
}

export type Answers = readonly [string, string | undefined];

/** What a run came to. */
export interface Run {
  /** What subject and rival were told; undefined for a rival that did not come. */
  readonly answers: Answers;
  /** Likewise when the subject was answered: a rival may have been under way still. */
  readonly answersThen: Answers;
  /** The subject ended, so nobody heard what it was told. */
  readonly ended: boolean;
  /** What stands in the services when the subject is answered, and when all has landed. */
  readonly tree: string;
  readonly treeInTheEnd: string;
  /** What another process says of it. */
  readonly view: string;
  /** Of a subject under a key: what the same request comes to there, and what stands behind it. */
  readonly again: { readonly answer: string; readonly tree: string } | undefined;
  /** Requests of the subject, in the order they came in. */
  readonly seen: readonly Seen[];
}

/** As good as not knowing. */
const UNDER_WAY = "Unknown: under way";
const UNHEARD = "Unknown: its process has ended";

/** Longer than anything takes that is under way. */
const LONG_MS = 180_000;

/** Both services, and what they hold when a run begins. */
export class Lab {
  readonly #doubles: Doubles;
  readonly #images: ReadonlyMap<string, Content>;

  private constructor(doubles: Doubles, images: ReadonlyMap<string, Content>) {
    this.#doubles = doubles;
    this.#images = images;
  }

  static async open(): Promise<Lab> {
    const doubles = await Doubles.open();
    const images = new Map<string, Content>();
    for (const site of SITES) images.set(site.name, await imageOf(doubles, site));
    return new Lab(doubles, images);
  }

  get requests(): number {
    return this.#doubles.requests;
  }

  async close(): Promise<void> {
    await this.#doubles.close();
  }

  /** Runs a subject under blows, lets everything land, and looks at what came of it. */
  async run(site: Site, subject: Subject, blows: readonly Blow[]): Promise<Run> {
    const { operation } = subject;
    let rival: (() => Promise<void>) | undefined;
    const strikes = blows.map(({ step, kind, rival: withRival }): Strike => {
      const called = withRival ? { rival: async () => rival?.() } : {};
      return { step, ...(kind && { kind }), ...called };
    });
    const wires = this.#begin(site, strikes);
    const { clock } = wires;
    const stage = await this.#stage(site, subject, wires);
    let rivalAnswer: string | undefined;
    if (subject.rival !== undefined) {
      const by = subject.rival;
      rival = async () => {
        rivalAnswer = UNDER_WAY;
        rivalAnswer = await answerOf(stage.rival, by);
      };
    }
    wires.arm();
    const unheard = wires.death.then(() => UNHEARD);
    const answer = await clock.run(Promise.race([stage.subject(operation), unheard]));
    const answersThen = [answer, rivalAnswer] as const;
    const tree = await this.#tree(site);
    await clock.advance(LONG_MS);
    wires.disarm();
    const treeInTheEnd = await this.#tree(site);
    const second = await clock.run(this.#open(site, wires, "second", 90));
    const view = await clock.run(viewOf(second));
    const again = subject.keyed && {
      answer: await clock.run(answerOf(second, operation)),
      tree: await this.#tree(site),
    };
    stage.close();
    second.close();
    const { ended, seen } = wires;
    const answers = [answer, rivalAnswer] as const;
    return { answers, answersThen, ended, tree, treeInTheEnd, view, again, seen };
  }

  /** Runs operations of a subject and its rival one after the other, without faults. */
  async inTurn(
    site: Site,
    subject: Subject,
    order: readonly (0 | 1)[],
  ): Promise<Pick<Run, "answers" | "tree" | "view">> {
    const wires = this.#begin(site, []);
    const { clock } = wires;
    const stage = await this.#stage(site, subject, wires);
    const answers: [string, string | undefined] = ["", undefined];
    for (const who of order) {
      if (who === 0) answers[0] = await clock.run(stage.subject(subject.operation));
      else if (subject.rival) answers[1] = await clock.run(answerOf(stage.rival, subject.rival));
    }
    await clock.advance(LONG_MS);
    const tree = await this.#tree(site);
    const second = await clock.run(this.#open(site, wires, "second", 90));
    const view = await clock.run(viewOf(second));
    stage.close();
    second.close();
    return { answers, tree, view };
  }

  #begin(site: Site, strikes: readonly Strike[]): Wires {
    return this.#doubles.begin(this.#images.get(site.name) ?? EMPTY, strikes);
  }

  #open(site: Site, wires: Wires, name: string, seed: number): Promise<Process> {
    return site.open({ doubles: this.#doubles, wires, name, seed });
  }

  /** The processes of a run. Whoever takes over opens its own only when it is asked. */
  async #stage(site: Site, subject: Subject, wires: Wires) {
    const { clock } = wires;
    const opened: Process[] = [];
    const open = async (name: string, seed: number): Promise<Process> => {
      const process = await this.#open(site, wires, name, seed);
      opened.push(process);
      for (const look of WARM) await answerOf(process, look);
      return process;
    };
    const close = (): void => {
      for (const process of opened) process.close();
    };
    if (subject.takesOver) {
      const rival = await clock.run(open("old", 50));
      const taking = async (operation: Operation): Promise<string> => {
        try {
          return await answerOf(await open(SUBJECT, 7), operation);
        } catch (error) {
          if (error instanceof FirnError && error.kind !== "Internal")
            return `${error.kind} ${error.code}`;
          throw error;
        }
      };
      return { subject: taking, rival, close };
    }
    const process = await clock.run(open(SUBJECT, 7));
    const rival: Node = await clock.run(process.beside?.() ?? open("rival", 50));
    return { subject: (operation: Operation) => answerOf(process, operation), rival, close };
  }

  /** What the services hold, checked and in words. @throws Violation */
  async #tree(site: Site): Promise<string> {
    const { pointers, blobs } = await site.read(this.#doubles.content());
    return (await checkStore(pointers, blobs)).join("\n");
  }
}

async function imageOf(doubles: Doubles, site: Site): Promise<Content> {
  const wires = doubles.begin(EMPTY, []);
  const { clock } = wires;
  const process = await clock.run(site.open({ doubles, wires, name: "founder", seed: 1 }));
  for (const operation of TREE) await clock.run(operation.run(process));
  await clock.run(process.release());
  await clock.advance(LONG_MS);
  process.close();
  return doubles.content();
}

async function viewOf(node: Node): Promise<string> {
  const said: string[] = [];
  for (const look of LOOKS) said.push(await answerOf(node, look));
  return said.join("\n");
}
