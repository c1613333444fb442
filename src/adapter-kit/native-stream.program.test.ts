import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { listen, texts } from "../../test/adapter-kit/read-stream.ts";
import type { HostProcess } from "../contracts/host.ts";
import { createLocalHost } from "../hosts/local/index.ts";

describe("a real program", () => {
  async function run(script: string): Promise<HostProcess> {
    const runDir = await mkdtemp(join(tmpdir(), "halyard-"));
    onTestFinished(() => rm(runDir, { recursive: true, force: true }));
    const command = { file: process.execPath, args: ["-e", script], cwd: runDir, env: {} };
    return createLocalHost().spawn(command, { runDir });
  }

  test("is read to the end of its output before the stream throws the error for its exit", async () => {
    const script = `
      for (let i = 0; i < 3; i++) console.log(JSON.stringify({ i }));
      process.stdout.write('"last"');
      console.error("out of paper");
      process.exitCode = 7;`;
    await using program = await run(script);
    const result = await listen(program);
    expect(texts(result)).toEqual([
      '1: {"i":0}',
      '2: {"i":1}',
      '3: {"i":2}',
      '4: "last"',
      "4 in all",
    ]);
    expect(result.error).toMatchObject({
      code: "agent_exited",
      message: "fake ended with exit code 7: out of paper",
    });
  });

  test("ends the stream with an error that names the signal that killed the program", async () => {
    await using program = await run(`process.kill(process.pid, "SIGKILL")`);
    const { error } = await listen(program);
    expect(error).toMatchObject({ message: "fake was killed by SIGKILL" });
  });
});
