import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { smallAgent } from "../../test/acp/small-agent.ts";
import type { Halyard } from "../contracts/halyard.ts";
import { createHalyard } from "../create-halyard.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { presets } from "./acp/agent/presets.ts";
import { settingsOfProgram } from "./project-settings.ts";
import { createRegistry } from "./registry.ts";

const pathsOf = (program: string) => settingsOfProgram(program).map(({ path }) => path);

test.each([
  ["/opt/bin/claude", ".claude/settings.json", ".codex/config.toml"],
  ["claude-agent-acp", ".mcp.json", ".codex/config.toml"],
  ["codex-acp", ".codex/hooks.json", ".claude/settings.json"],
  ["opencode", ".opencode/plugin/", ".claude/settings.json"],
  ["goose", ".agents/plugins/", ".claude/settings.json"],
])(
  "lists the settings files that %s cannot ignore, but not those of other programs",
  (program, own, other) => {
    expect(pathsOf(program)).toContain(own);
    expect(pathsOf(program)).not.toContain(other);
    expect(settingsOfProgram(program).every(({ ignoredBy }) => ignoredBy === undefined)).toBe(true);
  },
);

test("lists specific settings files for every preset, not the files of unknown programs", () => {
  const unknown = pathsOf("a-program-of-the-user");
  expect(unknown).toEqual(expect.arrayContaining([".claude/settings.json", ".gemini/.env"]));
  const without = presets.filter(({ command }) => pathsOf(command[0]).length === unknown.length);
  expect(without).toEqual([]);
});

test.each([{ bin: "/opt/claude" }, { bin: "claude", protocol: "acp" as const }])(
  "a registered runtime has its program's project settings ($bin, $protocol)",
  async (entry) => {
    const context = { env: {}, runtimesDir: "/nowhere", detached: false };
    const registry = createRegistry({ ...context, entries: async () => ({ mine: entry }) }, []);
    const adapter = await registry.load("mine");
    for (const { projectSettings } of [adapter, adapter.onScreen ?? adapter])
      expect(typeof projectSettings === "function" ? projectSettings({}) : projectSettings).toEqual(
        settingsOfProgram("claude"),
      );
  },
);

/**
 * Creates a project and a Halyard instance. The PATH contains Gemini CLI and an agent with this name. `plant` adds Claude
 * Code hooks to the project.
 */
async function openScene(program: string) {
  const home = await temporaryDirectory();
  const cwd = join(home, "project");
  const bin = join(home, "bin");
  await mkdir(join(cwd, ".claude"), { recursive: true });
  await mkdir(bin);
  for (const name of new Set([program, "gemini"])) {
    await writeFile(join(bin, name), `#!/bin/sh\nexec '${smallAgent.join("' '")}'\n`);
    await chmod(join(bin, name), 0o755);
  }
  const settings = join(cwd, ".claude/settings.json");
  const plant = () => writeFile(settings, '{ "hooks": {} }');
  const env = { PATH: `${bin}:${process.env.PATH}`, HOME: home };
  const halyard: Halyard = await createHalyard({ home: join(home, "home"), env });
  onTestFinished(() => halyard[Symbol.asyncDispose]());
  const variables = { AGENT_VERSION: "1", AGENT_STATE: join(home, "state") };
  return { halyard, cwd, settings, plant, env: variables };
}

const refused = (settings: string) => ({
  code: "untrusted_directory",
  message: expect.stringContaining(`${settings} (hooks) can run hooks`),
});

test.each([
  { runtime: "acp", command: "claude-agent-acp" },
  { runtime: "acp", command: ["my-agent", "--acp"] },
  { runtime: "gemini", command: "claude-agent-acp" },
])(
  "$runtime rejects $command in an untrusted directory with hooks, unless the request trusts it",
  async ({ runtime, command }) => {
    const program = typeof command === "string" ? command : (command[0] ?? "");
    const { halyard, cwd, settings, plant, env } = await openScene(program);
    await plant();
    const request = { runtime, cwd, env, options: { command } };
    await expect(halyard.start(request)).rejects.toMatchObject(refused(settings));
    const session = await halyard.start({ ...request, trust: true });
    await session.ready();
  },
);

test("starts a program in an untrusted directory whose settings it does not read", async () => {
  const { halyard, cwd, plant, env } = await openScene("gemini");
  await plant();
  const session = await halyard.start({ runtime: "gemini", cwd, env });
  await session.ready();
});

test("a resume runs the recorded command, and is rejected if settings were added after the stop", async () => {
  const { halyard, cwd, settings, plant, env } = await openScene("my-agent");
  const session = await halyard.start({
    runtime: "acp",
    cwd,
    env,
    options: { command: "my-agent acp" },
  });
  expect(await session.send("!foreign").outcome).toMatchObject({ status: "completed" });
  await session.stop();
  expect(session.info.options).toEqual({ command: "my-agent acp" });
  await plant();
  await expect(halyard.resume(session.id, { env })).rejects.toMatchObject(refused(settings));
  const options = { command: "codex-acp" };
  const other = halyard.resume(session.id, { env, options });
  await expect(other).rejects.toMatchObject({ code: "runtime_unavailable" }); // this program does not read Claude Code's hooks
  await rm(settings);
  const resumed = await halyard.resume(session.id, { env });
  await resumed.ready();
  expect(resumed.opened).toBe("resumed");
});

test("does not record a command that contains a key, and requires the command again on resume", async () => {
  const { halyard, cwd, env } = await openScene("my-agent");
  const options = { command: "my-agent --api-key sk-planted-0123456789" };
  const session = await halyard.start({ runtime: "acp", cwd, env, options });
  expect(await session.send("!foreign").outcome).toMatchObject({ status: "completed" });
  await session.stop();
  expect(session.info.options).toBeUndefined();
  await expect(halyard.resume(session.id, { env })).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining("options.command"),
  });
  const resumed = await halyard.resume(session.id, { env, options });
  await resumed.ready();
});
