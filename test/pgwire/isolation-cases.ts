import type { PostgresWire } from "../support/postgres-wire.ts";

/*
 * The anomalies of Hermitage (github.com/ept/hermitage), as schedules of two or three sessions.
 * What each session is answered is PostgreSQL 15's: `npm run test:sql-suites` asks it again.
 */

export const LEVELS = ["read committed", "repeatable read", "serializable"] as const;
export type Level = (typeof LEVELS)[number];

export interface IsolationCase {
  readonly name: string;
  /**
   * `1 SQL`: a session's statement, whose answer is waited for. `2~ SQL`: one that has to wait for
   * another session. `2=`: now it has its answer.
   */
  readonly steps: readonly string[];
  /** Answers by level; those of the level before where there are none. */
  readonly answers: Readonly<Partial<Record<Level, readonly string[]>>>;
}

const READ_ALL = "select * from test order by id";

export const CASES: readonly IsolationCase[] = [
  {
    name: "G0: dirty write",
    steps: [
      "1 update test set value = 11 where id = 1",
      "2~ update test set value = 12 where id = 1",
      "1 update test set value = 21 where id = 2",
      "1 commit",
      "2=",
      "2 update test set value = 22 where id = 2",
      "2 commit",
      `3 ${READ_ALL}`,
    ],
    answers: {
      "read committed": [
        "UPDATE 1",
        "waits",
        "UPDATE 1",
        "COMMIT",
        "UPDATE 1",
        "UPDATE 1",
        "COMMIT",
        "1=12 2=22",
      ],
      "repeatable read": [
        "UPDATE 1",
        "waits",
        "UPDATE 1",
        "COMMIT",
        "40001",
        "25P02",
        "ROLLBACK",
        "1=11 2=21",
      ],
    },
  },
  {
    name: "G1a: aborted read",
    steps: [
      "1 update test set value = 101 where id = 1",
      `2 ${READ_ALL}`,
      "1 rollback",
      `2 ${READ_ALL}`,
      "2 commit",
    ],
    answers: { "read committed": ["UPDATE 1", "1=10 2=20", "ROLLBACK", "1=10 2=20", "COMMIT"] },
  },
  {
    name: "G1b: intermediate read",
    steps: [
      "1 update test set value = 101 where id = 1",
      `2 ${READ_ALL}`,
      "1 update test set value = 11 where id = 1",
      "1 commit",
      `2 ${READ_ALL}`,
      "2 commit",
    ],
    answers: {
      "read committed": ["UPDATE 1", "1=10 2=20", "UPDATE 1", "COMMIT", "1=11 2=20", "COMMIT"],
      "repeatable read": ["UPDATE 1", "1=10 2=20", "UPDATE 1", "COMMIT", "1=10 2=20", "COMMIT"],
    },
  },
  {
    name: "G1c: circular information flow",
    steps: [
      "1 update test set value = 11 where id = 1",
      "2 update test set value = 22 where id = 2",
      "1 select value from test where id = 2",
      "2 select value from test where id = 1",
      "1 commit",
      "2 commit",
      `3 ${READ_ALL}`,
    ],
    answers: {
      "read committed": ["UPDATE 1", "UPDATE 1", "20", "10", "COMMIT", "COMMIT", "1=11 2=22"],
      serializable: ["UPDATE 1", "UPDATE 1", "20", "10", "COMMIT", "40001", "1=11 2=20"],
    },
  },
  {
    name: "OTV: observed transaction vanishes",
    steps: [
      "1 update test set value = 11 where id = 1",
      "1 update test set value = 19 where id = 2",
      "2~ update test set value = 12 where id = 1",
      "1 commit",
      "2=",
      "3 begin",
      "3 select value from test where id = 1",
      "2 update test set value = 18 where id = 2",
      "3 select value from test where id = 2",
      "2 commit",
      `3 ${READ_ALL}`,
      "3 commit",
    ],
    answers: {
      "read committed": [
        "UPDATE 1",
        "UPDATE 1",
        "waits",
        "COMMIT",
        "UPDATE 1",
        "BEGIN",
        "11",
        "UPDATE 1",
        "19",
        "COMMIT",
        "1=12 2=18",
        "COMMIT",
      ],
      "repeatable read": [
        "UPDATE 1",
        "UPDATE 1",
        "waits",
        "COMMIT",
        "40001",
        "BEGIN",
        "11",
        "25P02",
        "19",
        "ROLLBACK",
        "1=11 2=19",
        "COMMIT",
      ],
    },
  },
  {
    name: "PMP: predicate-many-preceders",
    steps: [
      "1 select * from test where value = 30",
      "2 insert into test values (3, 30)",
      "2 commit",
      "1 select * from test where value % 3 = 0",
      "1 commit",
    ],
    answers: {
      "read committed": ["", "INSERT 0 1", "COMMIT", "3=30", "COMMIT"],
      "repeatable read": ["", "INSERT 0 1", "COMMIT", "", "COMMIT"],
    },
  },
  {
    name: "PMP of a write predicate",
    steps: [
      "1 update test set value = value + 10",
      "2~ delete from test where value = 20",
      "1 commit",
      "2=",
      "2 select * from test where value = 20",
      "2 commit",
      `3 ${READ_ALL}`,
    ],
    answers: {
      "read committed": ["UPDATE 2", "waits", "COMMIT", "DELETE 0", "1=20", "COMMIT", "1=20 2=30"],
      "repeatable read": ["UPDATE 2", "waits", "COMMIT", "40001", "25P02", "ROLLBACK", "1=20 2=30"],
    },
  },
  {
    name: "P4: lost update",
    steps: [
      "1 select value from test where id = 1",
      "2 select value from test where id = 1",
      "1 update test set value = 11 where id = 1",
      "2~ update test set value = 12 where id = 1",
      "1 commit",
      "2=",
      "2 commit",
      `3 ${READ_ALL}`,
    ],
    answers: {
      "read committed": [
        "10",
        "10",
        "UPDATE 1",
        "waits",
        "COMMIT",
        "UPDATE 1",
        "COMMIT",
        "1=12 2=20",
      ],
      "repeatable read": [
        "10",
        "10",
        "UPDATE 1",
        "waits",
        "COMMIT",
        "40001",
        "ROLLBACK",
        "1=11 2=20",
      ],
    },
  },
  {
    name: "G-single: read skew",
    steps: [
      "1 select value from test where id = 1",
      `2 ${READ_ALL}`,
      "2 update test set value = 12 where id = 1",
      "2 update test set value = 18 where id = 2",
      "2 commit",
      "1 select value from test where id = 2",
      "1 commit",
    ],
    answers: {
      "read committed": ["10", "1=10 2=20", "UPDATE 1", "UPDATE 1", "COMMIT", "18", "COMMIT"],
      "repeatable read": ["10", "1=10 2=20", "UPDATE 1", "UPDATE 1", "COMMIT", "20", "COMMIT"],
    },
  },
  {
    name: "G-single by predicates",
    steps: [
      "1 select * from test where value % 5 = 0 order by id",
      "2 update test set value = 12 where value = 10",
      "2 commit",
      "1 select * from test where value % 3 = 0",
      "1 commit",
    ],
    answers: {
      "read committed": ["1=10 2=20", "UPDATE 1", "COMMIT", "1=12", "COMMIT"],
      "repeatable read": ["1=10 2=20", "UPDATE 1", "COMMIT", "", "COMMIT"],
    },
  },
  {
    name: "G-single of a write predicate",
    steps: [
      "1 select value from test where id = 1",
      `2 ${READ_ALL}`,
      "2 update test set value = 12 where id = 1",
      "2 update test set value = 18 where id = 2",
      "2 commit",
      "1 delete from test where value = 20",
      "1 commit",
      `3 ${READ_ALL}`,
    ],
    answers: {
      "read committed": [
        "10",
        "1=10 2=20",
        "UPDATE 1",
        "UPDATE 1",
        "COMMIT",
        "DELETE 0",
        "COMMIT",
        "1=12 2=18",
      ],
      "repeatable read": [
        "10",
        "1=10 2=20",
        "UPDATE 1",
        "UPDATE 1",
        "COMMIT",
        "40001",
        "ROLLBACK",
        "1=12 2=18",
      ],
    },
  },
  {
    name: "G2-item: write skew",
    steps: [
      "1 select * from test where id in (1, 2) order by id",
      "2 select * from test where id in (1, 2) order by id",
      "1 update test set value = 11 where id = 1",
      "2 update test set value = 21 where id = 2",
      "1 commit",
      "2 commit",
      `3 ${READ_ALL}`,
    ],
    answers: {
      "read committed": [
        "1=10 2=20",
        "1=10 2=20",
        "UPDATE 1",
        "UPDATE 1",
        "COMMIT",
        "COMMIT",
        "1=11 2=21",
      ],
      serializable: [
        "1=10 2=20",
        "1=10 2=20",
        "UPDATE 1",
        "UPDATE 1",
        "COMMIT",
        "40001",
        "1=11 2=20",
      ],
    },
  },
  {
    name: "G2: anti-dependency cycle",
    steps: [
      "1 select * from test where value % 3 = 0",
      "2 select * from test where value % 3 = 0",
      "1 insert into test values (3, 30)",
      "2 insert into test values (4, 42)",
      "1 commit",
      "2 commit",
      "3 select * from test where value % 3 = 0 order by id",
    ],
    answers: {
      "read committed": ["", "", "INSERT 0 1", "INSERT 0 1", "COMMIT", "COMMIT", "3=30 4=42"],
      serializable: ["", "", "INSERT 0 1", "INSERT 0 1", "COMMIT", "40001", "3=30"],
    },
  },
];

/** What the steps are answered. A statement that has to wait and does not: `too early`. */
export async function runCase(
  connect: () => Promise<PostgresWire>,
  { steps }: IsolationCase,
  level: Level,
  /** Returns when what was sent before has its state of the data. */
  settled: (witness: PostgresWire) => Promise<void>,
): Promise<readonly string[]> {
  const sessions = await Promise.all([connect(), connect(), connect(), connect()]);
  const witness = sessions[0] as PostgresWire;
  const ask = async (session: PostgresWire, sql: string): Promise<string> => {
    const answers = await session.query(sql);
    const { error, rows = [], tag = "" } = answers.at(-1) ?? {};
    if (error !== undefined) return error.sqlState;
    return tag.startsWith("SELECT") ? rows.map((row) => row.join("=")).join(" ") : tag;
  };
  const answers: string[] = [];
  const waiting = new Map<string, { answer: Promise<string>; isDone: boolean }>();
  try {
    await witness.query(
      "drop table if exists test; create table test (id int primary key, value int)",
    );
    await witness.query("insert into test values (1, 10), (2, 20)");
    for (const session of sessions.slice(1)) {
      await session.query(`set default_transaction_isolation = '${level}'`);
    }
    // So that each has its state of the data before any of the others changes it.
    for (const session of sessions.slice(1, 3)) await session.query("begin; select 1");
    for (const step of steps) {
      const [, number = "", kind = "", sql = ""] = /^(\d)([~=]?) ?(.*)$/.exec(step) ?? [];
      const session = sessions[Number(number)] as PostgresWire;
      if (kind === "~") {
        const wait = { answer: ask(session, sql), isDone: false };
        waiting.set(number, wait);
        void wait.answer.finally(() => {
          wait.isDone = true;
        });
        await settled(witness);
        answers.push(wait.isDone ? "too early" : "waits");
      } else if (kind === "=") answers.push((await waiting.get(number)?.answer) ?? "not asked");
      else answers.push(await ask(session, sql));
    }
  } finally {
    for (const session of sessions) session.close();
  }
  return answers;
}

export function expectedOf({ answers }: IsolationCase, level: Level): readonly string[] {
  for (let at = LEVELS.indexOf(level); at >= 0; at--) {
    const found = answers[LEVELS[at] as Level];
    if (found !== undefined) return found;
  }
  return [];
}

/**
 * What a schedule comes to: of each session that was refused with 40001 that alone, since the place
 * of the error is a server's own; of the others all answers.
 */
export function outcomeOf(
  { steps }: IsolationCase,
  answers: readonly string[],
): Readonly<Record<string, readonly string[]>> {
  const outcome: Record<string, string[]> = {};
  for (const [i, step] of steps.entries()) {
    const number = step[0] as string;
    outcome[number] = [...(outcome[number] ?? []), answers[i] ?? "no answer"];
  }
  for (const [number, all] of Object.entries(outcome)) {
    if (all.includes("40001")) outcome[number] = ["40001"];
  }
  return outcome;
}
