import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ModelApi } from "../../src/schema/model.ts";
import type { ScriptedEndpoint, ScriptedModel } from "../../src/testing/scripted-model.ts";
import { realAgents } from "./acp-agents.ts";
import { piProgram, runtimesDir } from "./runtimes-dir.ts";

/** A coding agent that a user runs on the command line, without Halyard. */
export interface OwnAgent {
  readonly api: ModelApi;
  /** The directory below the user's home that contains the agent's records. */
  readonly records: string;
  /** Writes the agent's settings. Returns its command line, and the variables that the user has set. */
  prepare(
    model: ScriptedEndpoint,
    home: string,
  ): Promise<{ readonly command: readonly string[]; readonly env: Record<string, string> }>;
}

/** A user who has had a conversation with an agent. */
export interface AgentUser {
  readonly home: string;
  readonly cwd: string;
  /** The environment of the user. */
  readonly env: Record<string, string>;
}

const platform = `${process.platform}-${process.arch}`;

/** Returns the settings of an agent that the suites of ACP also use. */
function settingsOf(title: string) {
  const agent = realAgents.find((one) => one.title === title);
  if (agent === undefined) throw new Error(`There is no agent "${title}".`);
  return agent;
}

/** The agents, by the runtime that runs the same program. */
export const ownAgents = {
  claude: {
    api: "anthropic",
    records: ".claude/projects",
    async prepare(model, home) {
      const directory = join(home, ".claude");
      await mkdir(directory);
      const env = await settingsOf("claude-agent-acp").prepare(model, directory);
      const program = ["node_modules", "@anthropic-ai", `claude-code-${platform}`, "claude"];
      return { command: [join(runtimesDir, "claude", ...program), "-p"], env };
    },
  },
  codex: {
    api: "openai-responses",
    records: ".codex/sessions",
    async prepare(model, home) {
      const directory = join(home, ".codex");
      await mkdir(directory);
      const env = await settingsOf("codex-acp").prepare(model, directory);
      const program = join(runtimesDir, "codex", "node_modules", ".bin", "codex");
      return { command: [program, "exec", "--skip-git-repo-check"], env };
    },
  },
  opencode: {
    api: "openai-chat",
    records: ".local/share/opencode",
    async prepare(model, home) {
      const agent = settingsOf("opencode acp");
      const [program = ""] = agent.command;
      return { command: [program, "run"], env: await agent.prepare(model, home) };
    },
  },
  pi: {
    api: "openai-chat",
    records: ".pi/agent/sessions",
    async prepare({ baseUrl, apiKey, id }, home) {
      const directory = join(home, ".pi", "agent");
      await mkdir(directory, { recursive: true });
      const models = [{ id, contextWindow: 128_000, maxTokens: 16_000 }];
      const scripted = { baseUrl, apiKey, api: "openai-completions", models };
      const providers = JSON.stringify({ providers: { scripted } });
      await writeFile(join(directory, "models.json"), providers);
      const node = join(runtimesDir, "node", "node_modules", ".bin", "node");
      const model = ["--provider", "scripted", "--model", id];
      return { command: [node, piProgram, "-p", ...model], env: { PI_OFFLINE: "1" } };
    },
  },
  droid: {
    api: "openai-chat",
    records: ".factory/sessions",
    async prepare(model, home) {
      const agent = settingsOf("droid exec --output-format acp");
      const [program = ""] = agent.command;
      const env = await agent.prepare(model, home);
      return { command: [program, "exec", "-m", `custom:${model.id}`], env };
    },
  },
} satisfies Record<string, OwnAgent>;

/** Creates a home in which a user has sent one message to an agent, without Halyard. */
export async function startAgentUser(
  { api, prepare }: OwnAgent,
  model: ScriptedModel,
  message: string,
): Promise<AgentUser> {
  const home = await mkdtemp(join(tmpdir(), "halyard-user-"));
  const cwd = join(home, "work");
  await mkdir(cwd);
  const { command, env: settings } = await prepare(model.endpoint(api), home);
  const env = { PATH: process.env.PATH ?? "", HOME: home, ...settings };
  const [file = "", ...args] = command;
  const running = promisify(execFile)(file, [...args, message], { cwd, env, timeout: 120_000 });
  running.child.stdin?.end(); // some agents also read a message from standard input
  await running;
  return { home, cwd, env };
}

/**
 * Returns the path and a hash of each file below a directory. Omits logs, and the shared-memory files of databases,
 * because a reader changes them.
 */
export async function hashesIn(directory: string): Promise<Record<string, string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && !/\.(log|db-shm)$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name));
  const hashes = files.sort().map(async (file) => {
    const hash = createHash("sha256").update(await readFile(file));
    return [file, hash.digest("hex")] as const;
  });
  return Object.fromEntries(await Promise.all(hashes));
}
