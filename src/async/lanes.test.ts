import { expect, test } from "vitest";
import { createDeferred } from "./deferred.ts";
import { Lanes } from "./lanes.ts";

/** Creates a task that records its start and ends when `finish` is called. */
function task(name: string, started: string[]) {
  const { promise, resolve } = createDeferred<string>();
  const run = () => {
    started.push(name);
    return promise;
  };
  return { run, finish: () => resolve(name) };
}

test("runs tasks with the same key one at a time, in order, even if one fails", async () => {
  const lanes = new Lanes();
  const started: string[] = [];
  const [one, two] = [task("one", started), task("two", started)];
  const failing = lanes.run("a", () => Promise.reject(new Error("it broke")));
  const running = [lanes.run("a", one.run), lanes.run("a", two.run)];
  await expect(failing).rejects.toThrow("it broke");
  two.finish();
  await new Promise((resolve) => setImmediate(resolve));
  expect(started).toEqual(["one"]);
  one.finish();
  expect(await Promise.all(running)).toEqual(["one", "two"]);
});

test("runs tasks with different keys in parallel, up to the limit", async () => {
  const lanes = new Lanes({ limit: 2 });
  const started: string[] = [];
  const tasks = ["one", "two", "three", "four"].map((name) => task(name, started));
  const running = tasks.map(({ run }, index) => lanes.run(String(index), run));
  await new Promise((resolve) => setImmediate(resolve));
  expect(started).toEqual(["one", "two"]);
  tasks[1]?.finish();
  await running[1];
  await new Promise((resolve) => setImmediate(resolve));
  expect(started).toEqual(["one", "two", "three"]);
  for (const { finish } of tasks) finish();
  expect(await Promise.all(running)).toHaveLength(4);
});
