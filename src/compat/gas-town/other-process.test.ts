import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { fakeAdapter } from "../../testing/fake/index.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { createAgentRuntime, SessionHandle } from "./index.ts";

test("a handle works in another process while the process that started the session keeps it open", async () => {
  const directory = await temporaryDirectory();
  await mkdir(join(directory, "work"));
  const script = fileURLToPath(new URL("../../../test/compat/hold-session.mjs", import.meta.url));
  const holder = spawn(process.execPath, [script, directory], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void holder.kill("SIGKILL"));
  const [line] = await once(holder.stdout, "data");
  const handle = SessionHandle.parse(JSON.parse(String(line)));

  const adapters = [fakeAdapter({ env: { PATH: process.env.PATH } })];
  const create = { home: join(directory, "own"), env: {}, adapters };
  await using runtime = createAgentRuntime({ create });
  expect(await runtime.resume(handle)).toMatchObject({ pid: handle.pid });
  const message = { text: "say hello", timeout: 20_000 };
  expect(await runtime.sendMessage(handle, message)).toMatchObject({ status: "confirmed" });
  expect(await runtime.isReady(handle)).toBe(true);
  await runtime.stop(handle, "done");
  expect(await runtime.detectRunning(handle)).toBe(false);
  holder.stdin.end();
  expect(await once(holder, "exit")).toEqual([0, null]);
});
