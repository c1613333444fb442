import { expect, test } from "vitest";
import { createDeferred } from "./deferred.ts";
import { Lanes } from "./lanes.ts";

/** A task that tells when it begins, and ends when it is let go. */
function task(name: string, begun: string[]) {
  const { promise, resolve } = createDeferred<string>();
  const run = () => {
    begun.push(name);
    return promise;
  };
  return { run, finish: () => resolve(name) };
}

test("tasks of one key wait for each other, in order, whatever becomes of them", async () => {
  const lanes = new Lanes();
  const begun: string[] = [];
  const [one, two] = [task("one", begun), task("two", begun)];
  const failing = lanes.run("a", () => Promise.reject(new Error("it broke")));
  const running = [lanes.run("a", one.run), lanes.run("a", two.run)];
  await expect(failing).rejects.toThrow("it broke");
  two.finish();
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toEqual(["one"]);
  one.finish();
  expect(await Promise.all(running)).toEqual(["one", "two"]);
});

test("tasks of different keys run together, as many as there are places", async () => {
  const lanes = new Lanes({ places: 2 });
  const begun: string[] = [];
  const tasks = ["one", "two", "three", "four"].map((name) => task(name, begun));
  const running = tasks.map(({ run }, index) => lanes.run(String(index), run));
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toEqual(["one", "two"]);
  tasks[1]?.finish();
  await running[1];
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toEqual(["one", "two", "three"]);
  for (const { finish } of tasks) finish();
  expect(await Promise.all(running)).toHaveLength(4);
});
