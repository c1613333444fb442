import { execFile } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { smallAgent } from "../../../../test/acp/small-agent.ts";
import { processesIn } from "../../../../test/cli/processes.ts";
import { runWarm } from "../../../../test/cli/run-warm.ts";
import { newUser, program, type User } from "../../../../test/cli/start-cli.ts";
import { newDaemonUser } from "../../../../test/daemon/scene.ts";
import { PresetsFile } from "../presets.ts";

test("prints an agent entry with the runtime's canonical name, and rejects an unknown runtime", async () => {
  const user = await newUser();
  const { stdout } = await runWarm(user, ["gt", "preset", "--runtime", "factory"]);
  expect(PresetsFile.parse(JSON.parse(stdout))).toMatchObject({
    version: 1,
    agents: {
      "halyard-droid": {
        command: "halyard",
        args: ["gt", "agent", "--runtime", "droid", "--permissions", "allow-all"],
        acp: { mode: "subcommand", command: "acp" },
      },
    },
  });
  expect(await runWarm(user, ["gt", "preset", "-r", "emacs"])).toMatchObject({ exitCode: 3 });
});

test("adds the entry to agents.json and keeps the other entries", async () => {
  const user = await newUser();
  const file = join(user.cwd, "agents.json");
  await writeFile(file, '{ "agents": { "kiro": { "command": "kiro-cli" } } } // ours\n');
  await runWarm(user, ["gt", "preset", "--write", file]);
  const text = await readFile(file, "utf8");
  expect(text).toContain("// ours");
  const written = JSON.parse(text.replace("// ours", ""));
  expect(Object.keys(written.agents)).toEqual(["kiro", "halyard"]);
  expect(written.agents.halyard.args).toEqual(["gt", "agent", "--permissions", "allow-all"]);
});

/** Creates a user with a private tmux socket, `halyard` on the PATH, and a registry with an agent that needs no model. */
async function newTown() {
  const user = await newDaemonUser();
  const { HOME = "", PATH } = user.env;
  const bin = join(HOME, "bin");
  await mkdir(bin);
  await symlink(program, join(bin, "halyard"));
  const [file = "", ...args] = smallAgent;
  const env = { AGENT_STATE: join(HOME, "small-agent") };
  const small = { bin: file, args, env, protocol: "acp" };
  await mkdir(join(HOME, ".gastown"));
  const registry = JSON.stringify({ runtimes: { small } });
  await writeFile(join(HOME, ".gastown/runtimes.json"), registry);
  const townie: User = { ...user, env: { ...user.env, PATH: `${bin}:${PATH}`, LANG: "C.UTF-8" } };
  const tmux = (...words: string[]) =>
    promisify(execFile)("tmux", ["-u", "-S", join(HOME, "t.sock"), "-f", "/dev/null", ...words], {
      env: townie.env,
      cwd: user.cwd,
    }).then(({ stdout }) => stdout);
  onTestFinished(async () => void (await tmux("kill-server").catch(() => {})));
  return { user: townie, tmux };
}

test("runs the preset's agent in a pane until the pane closes, and resumes its session in a new pane", {
  timeout: 90_000,
}, async () => {
  const { user, tmux } = await newTown();
  const { stdout } = await runWarm(user, ["gt", "preset", "--runtime", "small"]);
  const preset = JSON.parse(stdout).agents["halyard-small"];
  const { command, args, resume_flag: resume, ready_prompt_prefix: prompt } = preset;
  const shown = () => tmux("capture-pane", "-p", "-t", "ivy");
  const role = ["GT_RIG=greenplace", "GT_ROLE=polecat", "GT_POLECAT=ivy"];
  const paneFlags = [
    "-d",
    "-s",
    "ivy",
    "-x",
    "120",
    "-y",
    "40",
    ...role.flatMap((one) => ["-e", one]),
  ];
  const open = (...words: string[]) =>
    tmux("new-session", ...paneFlags, command, ...args, ...words);
  const type = async (text: string) => {
    await tmux("send-keys", "-l", "-t", "ivy", text);
    await tmux("send-keys", "-t", "ivy", "Enter");
  };
  const sessions = async () =>
    (await runWarm(user, ["sessions", "--format", "json"])).stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  const within = { timeout: 25_000 };

  await open("!garbage");
  await expect.poll(shown, within).toMatch(/sorry[\s\S]*completed/);
  expect((await shown()).trimEnd().split("\n").at(-1)?.trim()).toBe(prompt.trim());
  const names = await tmux("list-panes", "-t", "ivy", "-F", "#{pane_current_command}");
  expect(preset.process_names).toContain(names.trim());
  await type("!foreign");
  await expect.poll(shown, within).toMatch(/mine[\s\S]*completed/);
  const [session] = await sessions();
  expect(session).toMatchObject({
    runtime: "small",
    permissions: "allow-all",
    labels: { "gt.rig": "greenplace", "gt.role": "polecat" },
  });

  await tmux("kill-session", "-t", "ivy");
  await expect.poll(async () => (await sessions())[0].state, within).toBe("stopped");
  await expect.poll(() => processesIn(user.cwd), within).toEqual([]);

  await open(resume, session.id, "!foreign");
  await expect.poll(shown, within).toMatch(/mine[\s\S]*completed/);
  expect(await sessions()).toMatchObject([{ id: session.id, turns: 3 }]);
});
