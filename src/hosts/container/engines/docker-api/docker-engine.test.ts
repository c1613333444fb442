import { join } from "node:path";
import { expect, test } from "vitest";
import { startFakeEngine } from "../../../../../test/containers/fake-engine.ts";
import { temporaryDirectory } from "../../../../testing/temporary-directory.ts";
import { parseAddress } from "./address.ts";
import { createDockerEngine } from "./docker-engine.ts";

test("rejects an exec with the signal's reason when the signal is aborted", async () => {
  const fake = await startFakeEngine(join(await temporaryDirectory(), "engine.sock"));
  const engine = createDockerEngine(parseAddress("docker", fake.url));
  const body = { Image: "image", Labels: {}, Env: [] };
  const execs: string[] = [];
  fake.containers.set("one", { name: "one", body, execs, status: "running" });
  const patience = new AbortController();
  const running = engine.exec("one", { args: ["sleep", "1000"] }, { signal: patience.signal });
  running.catch(() => {}); // awaited below
  await expect.poll(() => execs.length).toBe(1);
  patience.abort(new Error("too long"));
  await expect(running).rejects.toThrow("too long");
  const again = engine.exec("one", { args: ["echo", "a"] }, { signal: patience.signal });
  await expect(again).rejects.toThrow("too long");
  expect(await engine.exec("one", { args: ["echo", "a"] })).toMatchObject({ stdout: "a\n" });
});
