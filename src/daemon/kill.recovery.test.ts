import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { halyard, program, StartedCli } from "../../test/cli/start-cli.ts";
import { connectTo, faultsOf, newDaemonUser, readLog } from "../../test/daemon/scene.ts";
import { runtimesDir } from "../../test/real/runtimes-dir.ts";
import type { SessionId } from "../schema/id.ts";
import type { ModelApi } from "../schema/model.ts";
import { startScriptedModel } from "../testing/scripted-model.ts";
import { findDaemon } from "./find.ts";

const runtimes: readonly (readonly [string, ModelApi])[] = [
  ["claude", "anthropic"],
  ["codex", "openai-responses"],
  ["droid", "openai-chat"],
  ["opencode", "openai-chat"],
  ["pi", "openai-chat"],
];

const numbers = [...Array(300).keys()].join(" ");

test.each(runtimes)(
  "%s keeps running, and its log has every event once, if the daemon is killed with SIGKILL during a turn",
  async (runtime, api) => {
    const model = await startScriptedModel([
      { when: "Count.", replies: [{ text: numbers, chunkSize: 8, chunkDelayMs: 20 }] },
      { when: "What did I say?", replies: [{ text: "You said: Count." }] },
    ]);
    onTestFinished(() => model.close());
    const { id: name = "", baseUrl = "", apiKey = "" } = model.endpoint(api);
    const user = await newDaemonUser({ HALYARD_API_KEY: apiKey });
    await mkdir(user.home, { recursive: true });
    await symlink(runtimesDir, join(user.home, "runtimes"));
    const endpoint = ["--base-url", baseUrl, "--api", api, "--model", name];
    const args = ["start", "--runtime", runtime, "-p", "allow-all", ...endpoint, "Count."];
    const started = await halyard(user, args);
    expect(started.stderr).toBe("");
    const id = started.stdout.trim() as SessionId;

    const follow = ["events", id, "--follow", "--format", "json"];
    const reader = new StartedCli(user, [process.execPath, program, ...follow]);
    await reader.says(/"type":"delta"/);
    const first = await findDaemon(user.home);
    process.kill(first?.identity.pid ?? 0, "SIGKILL");

    expect((await halyard(user, ["wait", id])).stderr).toBe(""); // the command starts a new daemon
    expect((await findDaemon(user.home))?.identity).not.toEqual(first?.identity);
    const question = ["send", id, "--wait", "--format", "quiet", "What did I say?"];
    expect((await halyard(user, question)).stdout).toBe("You said: Count.\n");
    const connected = await connectTo(user);
    expect((await connected.session(id)).opened).toBe("attached");
    await halyard(user, ["stop", id]);
    const log = await readLog(connected, id);
    expect(faultsOf(log)).toEqual([]);
    const messages = log.flatMap((event) =>
      event.type === "message" && event.role === "assistant" && event.channel === "text"
        ? [event.text]
        : [],
    );
    expect(messages).toEqual([numbers, "You said: Count."]);
    const { stdout } = await reader.finished;
    const printed = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(printed).toEqual(log);
    expect(JSON.stringify(log)).not.toContain(apiKey);
    expect((await halyard(user, ["ps"])).stderr).toMatch(/No session has a process/);
    await halyard(user, ["daemon", "stop"]);
  },
);
