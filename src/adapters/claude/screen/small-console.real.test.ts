import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { SCRIPT } from "../../../../test/cli/start-cli.ts";
import { attachPerson, sees } from "../../../../test/screens/person.ts";
import { openStage } from "../../../../test/screens/stage.ts";

test("delivers messages while a small console shows Claude's screen, and reports a pane that is closed during a turn", async () => {
  const { home, model, request, open, tools } = await openStage("claude");
  const lines = ["first line", "second line of a message that is wider than the console", "> last"];
  const prompt = lines.join("\n");
  model.on("first line", { text: "Received.\n> and quoted" });
  model.on("keep working", { toolCalls: [tools.shell("sleep 600")] });
  const halyard = await open();
  const session = await halyard.start({ ...request, permissions: "allow-all" });
  const person = await attachPerson(home, session);
  const socket = join(home, "tmux.sock");
  const attach = `stty cols 40 rows 10; exec tmux -S '${socket}' attach -t =${session.id}`;
  const env = { ...process.env, TERM: "xterm", TMUX: "" };
  const console = spawn(SCRIPT, ["-qfc", attach, "/dev/null"], {
    env,
    stdio: ["pipe", "pipe", "ignore"],
  });
  onTestFinished(() => void console.kill("SIGKILL"));
  await once(console.stdout, "data"); // tmux has drawn the screen

  const turn = session.send(prompt);
  expect(await turn.outcome).toMatchObject({
    status: "completed",
    text: "Received.\n> and quoted",
  });
  const sent = model.requests.at(-1)?.messages.filter(({ role }) => role === "user") ?? [];
  expect(sent.filter(({ text }) => text.includes("first line"))).toHaveLength(1);
  expect(sent.at(-1)?.text).toContain(prompt);

  const working = session.send("keep working");
  await sees(person, "sleep 600");
  await promisify(execFile)("tmux", ["-S", socket, "kill-pane", "-t", `=${session.id}:`]);
  expect(await working.outcome).toMatchObject({
    status: "failed",
    error: { code: "agent_exited", message: expect.stringContaining("its tmux pane was closed") },
  });
  await expect
    .poll(() => session.info)
    .toMatchObject({
      state: "failed",
      reason: expect.stringContaining("its tmux pane was closed"),
    });
});
