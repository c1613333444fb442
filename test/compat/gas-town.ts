import { chmod, mkdir, readdir, readFile, realpath, symlink, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { findClaude } from "../../src/adapters/claude/find.ts";
import { createAgentRuntime } from "../../src/compat/gas-town/index.ts";
import { HookPayload } from "../../src/schema/hook.ts";
import { type ScriptedModel, startScriptedModel } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { runtimesDir } from "../real/runtimes-dir.ts";
import { seedRegistry } from "./seed-registry.ts";

/**
 * Creates a user of Gas Town with the seed's registry, a `gt` that records its calls, and keys in the environment.
 * `createRegistry` replaces the registry. The runtimes in `programs` are not installed in Halyard's home.
 */
export async function openTown(
  createRegistry: (home: string) => string = () => seedRegistry,
  { programs = [] }: { readonly programs?: readonly string[] } = {},
) {
  const home = await realpath(await temporaryDirectory());
  const rig = join(home, "greenplace");
  await mkdir(join(home, ".gastown"), { recursive: true });
  await writeFile(join(home, ".gastown", "runtimes.json"), createRegistry(home));
  await mkdir(join(home, ".halyard", "runtimes"), { recursive: true });
  const installed = (await readdir(runtimesDir)).filter((name) => !programs.includes(name));
  for (const name of installed)
    await symlink(join(runtimesDir, name), join(home, ".halyard", "runtimes", name));
  const hooks = join(home, "hooks.jsonl");
  await writeFile(
    join(home, ".halyard", "config.json"),
    JSON.stringify({ hooks: [{ file: hooks }] }),
  );
  await mkdir(rig);
  await mkdir(join(home, "bin"));
  const gt = join(home, "bin", "gt");
  await writeFile(gt, `#!/bin/sh\necho "$GT_ROLE: gt $*" >> ${join(home, "called")}\n`);
  await chmod(gt, 0o755);
  const model = await startScriptedModel();
  await acceptClaude(home, model);
  const env = {
    PATH: [join(home, "bin"), process.env.PATH].join(delimiter),
    HOME: home,
    HALYARD_HOME: join(home, ".halyard"),
    ANTHROPIC_API_KEY: model.endpoint("anthropic").apiKey,
    ANTHROPIC_BASE_URL: model.baseUrl("anthropic"),
    OPENAI_API_KEY: model.endpoint("openai-responses").apiKey,
    OPENAI_BASE_URL: model.baseUrl("openai-responses"),
  };
  const runtime = createAgentRuntime({ create: { env } });
  onTestFinished(async () => {
    await runtime[Symbol.asyncDispose]();
    await using last = createAgentRuntime({ create: { env } });
    for (const handle of await last.listSessions()) await last.stop(handle, "over");
    await model.close();
  });
  /** Creates a directory in the rig that stands for a worktree. */
  const worktree = async (name: string): Promise<string> => {
    const directory = join(rig, name);
    await mkdir(directory, { recursive: true });
    return directory;
  };
  /** Returns the hook payloads so far. */
  const received = async (): Promise<HookPayload[]> => {
    const lines = (await readFile(hooks, "utf8").catch(() => "")).split("\n");
    return lines.filter(Boolean).map((line) => HookPayload.parse(JSON.parse(line)));
  };
  return { home, env, received, gt, model, runtime, worktree };
}

/** Writes a `claude` to the PATH of a town. It runs a script in which `$claude` is the path of Claude Code. */
export async function writeClaude(home: string, script: string): Promise<void> {
  const { file } = await findClaude({ env: {}, runtimesDir });
  const text = `#!/bin/sh\nclaude=${file}\n[ "$1" = --version ] && exec $claude --version\n${script}\n`;
  await writeFile(join(home, "bin", "claude"), text, { mode: 0o755 });
}

/** Sets variables in the environment of this process until the end of the test. */
export function live(env: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}

/** Writes the settings of a user who has answered the first dialogs of Claude Code. */
async function acceptClaude(home: string, model: ScriptedModel): Promise<void> {
  const { apiKey = "" } = model.endpoint("anthropic");
  const accepted = {
    hasCompletedOnboarding: true,
    // With this setting, Claude reports that it waits for input after one second instead of one minute.
    messageIdleNotifThresholdMs: 1_000,
    customApiKeyResponses: { approved: [apiKey.slice(-20)], rejected: [] },
    projects: { [home]: { hasTrustDialogAccepted: true } },
  };
  await writeFile(join(home, ".claude.json"), JSON.stringify(accepted));
}
