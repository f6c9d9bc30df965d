import { expect, test } from "vitest";
import { Background } from "../../src/base/background.ts";
import { FirnError } from "../../src/base/error.ts";

const defect = new TypeError("a defect");
const refusals = (["Unavailable", "Unknown", "Conflict", "Overloaded"] as const).map(
  (kind) => new FirnError(kind, "TEST", "a store that refuses"),
);
const corrupt = new FirnError("Corrupt", "TEST", "stored bytes make no sense");

function failing(background: Background, errors: readonly unknown[]): void {
  for (const error of errors) background.run(() => Promise.reject(error));
}

test("each defect is told of as it comes up, what passes is not; the rest goes on", async () => {
  const heard: unknown[] = [];
  const background = new Background((error) => heard.push(error));
  const done: string[] = [];
  failing(background, [defect, ...refusals, corrupt]);
  background.run(async () => {
    done.push("after");
    // What is asked for while others wait is waited for too.
    background.run(async () => void done.push("later"));
  });
  await background.settled();
  expect(heard).toEqual([defect, corrupt]);
  expect(done).toEqual(["after", "later"]);
});

test("where nobody listens, the first defect is thrown at the end", async () => {
  const background = new Background();
  failing(background, refusals);
  await background.settled();
  failing(background, [defect, corrupt]);
  await expect(background.settled()).rejects.toBe(defect);
});
