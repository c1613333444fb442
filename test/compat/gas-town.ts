import { chmod, mkdir, realpath, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createAgentRuntime } from "../../src/compat/gas-town/index.ts";
import { type ScriptedModel, startScriptedModel } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { runtimesDir } from "../real/runtimes-dir.ts";

/** `~/.gastown/runtimes.json` as seed 001 prints it. */
export const seedRegistry = `{
  "default": "claude",
  "runtimes": {
    "claude": {
      "bin": "claude",
      "ready": "prompt",
      "delivery": "tmux"
    },
    "codex": {
      "bin": "codex",
      "ready": "warmup",
      "delivery": "stdin"
    }
  }
}
`;

/**
 * A user of Gas Town: the seed's registry, a `gt` that records its calls, and keys in the environment.
 * `createRegistry` replaces the registry.
 */
export async function openTown(createRegistry: (home: string) => string = () => seedRegistry) {
  const home = await realpath(await temporaryDirectory());
  const rig = join(home, "greenplace");
  await mkdir(join(home, ".gastown"), { recursive: true });
  await writeFile(join(home, ".gastown", "runtimes.json"), createRegistry(home));
  await mkdir(join(home, ".halyard"));
  await symlink(runtimesDir, join(home, ".halyard", "runtimes"));
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
    PATH: process.env.PATH ?? "",
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
  /** A worktree of the rig. */
  const worktree = async (name: string): Promise<string> => {
    const directory = join(rig, name);
    await mkdir(directory, { recursive: true });
    return directory;
  };
  return { home, env, hooks, gt, model, runtime, worktree };
}

/** Writes the settings of a user who has answered the first dialogs of Claude Code. */
async function acceptClaude(home: string, model: ScriptedModel): Promise<void> {
  const { apiKey = "" } = model.endpoint("anthropic");
  const accepted = {
    hasCompletedOnboarding: true,
    messageIdleNotifThresholdMs: 1_000, // Claude reports that it waits for input after a second, not after a minute
    customApiKeyResponses: { approved: [apiKey.slice(-20)], rejected: [] },
    projects: { [home]: { hasTrustDialogAccepted: true } },
  };
  await writeFile(join(home, ".claude.json"), JSON.stringify(accepted));
}
