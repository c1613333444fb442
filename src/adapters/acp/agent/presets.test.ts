import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { smallAgent } from "../../../../test/acp/small-agent.ts";
import { createHalyard } from "../../../create-halyard.ts";
import { createLocalHost } from "../../../hosts/local/index.ts";
import { RuntimeName } from "../../../schema/runtime.ts";
import { temporaryDirectory } from "../../../testing/temporary-directory.ts";
import { presetAdapter } from "../index.ts";
import { agentEnvironment } from "./agent-command.ts";
import { presets } from "./presets.ts";

test("every preset has a unique name and a row in the documentation", async () => {
  const document = await readFile(new URL("../../../../docs/acp.md", import.meta.url), "utf8");
  const rows = document
    .split("\n")
    .filter((line) => line.startsWith("| `") && line.split("|").length === 7);
  expect(rows).toEqual(
    presets.map(
      ({ name, displayName, command, seen, hint }) =>
        `| \`${name}\` | ${displayName} | \`${command.join(" ")}\` | ${seen ? `${seen.acp} (${seen.version})` : ""} | ${hint} |`,
    ),
  );
  const names = presets.map(({ name }) => RuntimeName.parse(name));
  expect(new Set(names).size).toBe(names.length);
});

test("reports a preset as unavailable, with an installation hint, if its program is not installed", async () => {
  for (const preset of presets)
    expect(await presetAdapter(preset, { env: { PATH: "/nowhere" } }).probe()).toEqual({
      available: false,
      reason: `${preset.command[0]} is not installed`,
      hint: preset.hint,
    });
});

test("finds the program of an installed preset, and reads its handshake", async () => {
  const bin = join(await temporaryDirectory(), "bin");
  await mkdir(bin);
  await writeFile(join(bin, "goose"), `#!/bin/sh\nexec ${smallAgent.join(" ")}\n`);
  await chmod(join(bin, "goose"), 0o755);
  const goose = presets.find(({ name }) => name === "goose");
  const adapter = goose && presetAdapter(goose, { env: { PATH: bin } });
  expect(await adapter?.probe()).toMatchObject({ available: true, program: join(bin, "goose") });
  expect(await adapter?.greet?.(createLocalHost())).toEqual({
    protocol: "ACP",
    version: 2,
    agent: "Small Agent 1.2.3",
    signIn: ["Log in (login)"],
    capabilities: {
      session: {
        fork: {},
        systemPrompt: {},
        prompt: { image: {} },
        mcp: { stdio: {}, http: {} },
      },
    },
  });
});

test("passes an agent only the allow-listed variables, its preset's keys and the named variables", () => {
  const env = { PATH: "/bin", GEMINI_API_KEY: "g", ANTHROPIC_API_KEY: "a", MINE: "m" };
  expect(agentEnvironment(["/opt/gemini", "--acp"], env, [])).toEqual({
    PATH: "/bin",
    GEMINI_API_KEY: "g",
  });
  expect(agentEnvironment(["unknown"], env, ["MINE"])).toEqual({ PATH: "/bin", MINE: "m" });
});

test("rejects an agent whose project files can run programs, unless the directory is trusted", async () => {
  const directory = await temporaryDirectory();
  const cwd = join(directory, "work");
  await mkdir(join(cwd, ".gemini"), { recursive: true });
  await writeFile(join(cwd, ".gemini", "settings.json"), '{ "mcpServers": {} }');
  const program = join(directory, "gemini");
  await writeFile(program, "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  const env = { PATH: directory, HOME: directory };
  await using halyard = await createHalyard({
    home: join(directory, "home"),
    env,
    store: "memory",
  });
  const starting = halyard.start({ runtime: "gemini", cwd });
  await expect(starting).rejects.toMatchObject({
    code: "untrusted_directory",
    message: expect.stringContaining(`${join(cwd, ".gemini/settings.json")} (mcpServers)`),
  });
  const trusted = await halyard.start({ runtime: "gemini", cwd, trust: true });
  expect(trusted.info).toMatchObject({ runtime: "gemini", trust: true });
});
