import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { startInTerminal } from "../../../test/cli/start-cli.ts";
import { newDaemonUser } from "../../../test/daemon/scene.ts";
import { serveFakeDaemon } from "../../../test/daemon/serve-fake-daemon.ts";

/** The source of an ACP agent whose turns last until the file `go` exists. */
const agent = `
const { existsSync } = require("node:fs");
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const update = (text) => send({ method: "session/update", params: { sessionId: "s1",
  update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } } } });
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  if (line === "") return;
  const { id, method } = JSON.parse(line);
  if (method === "initialize") send({ id, result: { protocolVersion: 1, agentCapabilities: { loadSession: true } } });
  if (method === "session/new") send({ id, result: { sessionId: "s1" } });
  if (method === "session/prompt") {
    update("Working.\\n\\n");
    const timer = setInterval(() => {
      if (!existsSync("go")) return;
      clearInterval(timer);
      update("Done.");
      send({ id, result: { stopReason: "end_turn" } });
    }, 20);
  }
});`;

test("--detach starts the session in the daemon and prints its id, and cannot be combined with --continue", async () => {
  const user = await newDaemonUser();
  await serveFakeDaemon(user);
  const args = ["run", "--detach", "--runtime", "fake", "--name", "api", "-p", "allow-all"];
  const started = await runWarm(user, [...args, "say hello"]);
  expect(started).toEqual({
    exitCode: 0,
    stdout: expect.stringMatching(/^ses_\w+\n$/),
    stderr: "",
  });
  const id = started.stdout.trim();
  expect((await runWarm(user, ["wait", "api"])).stdout).toBe(`${id} idle\n`);
  const refused = await runWarm(user, ["run", "--detach", "--continue", "say more"]);
  expect(refused.exitCode).toBe(2);
});

describe.skipIf(!existsSync("/usr/bin/script"))("on a console", () => {
  test.each([
    ["Ctrl-Z", "\u001a"],
    ["/detach", "/detach\r"],
  ])("%s hands the running turn over to the daemon", async (_, keys) => {
    const user = await newDaemonUser({ TERM: "xterm" });
    const file = join(user.cwd, "agent.cjs");
    await writeFile(file, agent);
    const command = `"'${process.execPath}' '${file}'"`;
    const cli = await startInTerminal(user, ["run", "-r", "acp", "--command", command, "go"]);
    await cli.says(/Working/);
    cli.process.stdin.write(keys);
    const { exitCode, stdout } = await cli.finished;
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/continues in the daemon/)]);
    const [id = ""] = /ses_\w{16}/.exec(stdout) ?? [];
    await writeFile(join(user.cwd, "go"), "");
    expect((await runWarm(user, ["wait", id])).stdout).toBe(`${id} idle\n`);
    const { stdout: log } = await runWarm(user, ["events", id]);
    expect(log).toMatch(/Working\.[\s\S]*session attached[\s\S]*Done\.[\s\S]*✓ completed/);
    expect(await runWarm(user, ["stop", id])).toMatchObject({ exitCode: 0 });
  });
});
