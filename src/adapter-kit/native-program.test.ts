import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Output } from "../contracts/adapter.ts";
import type { Mapper } from "../contracts/event-draft.ts";
import { createLocalHost } from "../hosts/local/index.ts";
import { sampleRequest } from "../testing/sample-request.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { NativeProgram } from "./native-program.ts";

const silent: Mapper = { map: () => [], flush: () => [] };

async function start(script: string) {
  const directory = await temporaryDirectory();
  const host = createLocalHost();
  const runDir = join(directory, "run");
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin" };
  const command = { file: "/bin/sh", args: ["-c", script], cwd: directory, env };
  const process = await host.spawn(command, { runDir });
  onTestFinished(async () => (await host.attach(runDir))?.[Symbol.asyncDispose]()); // attaches again, because a test may have detached
  const program = new NativeProgram(process, sampleRequest({ host, runDir }));
  const heard: unknown[] = [];
  const output = program.output({
    runtime: "fake",
    mapper: silent,
    onMessage: (message) => heard.push(message),
  });
  return { process, program, output, heard };
}

async function end(output: AsyncIterable<readonly Output[]>): Promise<unknown> {
  try {
    for await (const _ of output);
    return "ended without an error";
  } catch (error) {
    return error;
  }
}

const never = () => new Promise<never>(() => {});

test("writes to the program and reads its output", async () => {
  const { program, output, heard } = await start('read line; echo "[$line]"');
  const ended = end(output);
  await program.write("42\n");
  expect(await ended).toMatchObject({ code: "agent_exited" });
  expect(heard).toEqual([[42]]);
});

test("rejects a write to an exited program with an error that contains the program's stderr", async () => {
  const { process, program, output } = await start("echo 'out of memory' >&2; exit 3");
  await process.exit;
  expect(await program.isDead()).toBe(true);
  const ended = end(output);
  const received = { code: "agent_exited", message: expect.stringContaining("out of memory") };
  await expect(program.write("1\n")).rejects.toMatchObject(received);
  expect(await ended).toMatchObject(received);
});

test("rejects pending and later waits when the program exits", async () => {
  const { program, output } = await start("exit 3");
  const waiting = program.unlessGone(never());
  void end(output);
  await expect(waiting).rejects.toMatchObject({ code: "agent_exited" });
  await expect(program.unlessGone(never())).rejects.toMatchObject({ code: "agent_exited" });
});

test("ends the output on detach and leaves the program running", async () => {
  const { process, program, output } = await start("read line");
  const ended = end(output);
  await program.detach();
  expect(await ended).toBe("ended without an error");
  expect(await process.health()).toBe("alive");
  await expect(program.unlessGone(never())).rejects.toMatchObject({ code: "session_stopped" });
});

test("terminate kills a program that has started another process", async () => {
  const { process, program, output } = await start("sleep 600 & wait");
  const ended = end(output);
  await program.terminate();
  expect(await ended).toMatchObject({ code: "agent_exited" });
  expect(await process.health()).toBe("dead");
});
