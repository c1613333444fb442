import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { ConnectRequest } from "../../core/adapter.ts";
import { linkAgentFile, writeAgentFile } from "../../core/agent-writable.ts";
import { writeWhole } from "../../core/write-whole.ts";
import type { ReasoningLevel } from "../../schema/model.ts";
import { type ModelSource, PROVIDER, providerConfig } from "./model.ts";
import type { Rules } from "./policy.ts";
import { withOwnSettings } from "./settings.ts";

/** What stands in `models.json` for the key: the name of the variable that holds it. */
export const KEY_VARIABLE = "HALYARD_PI_API_KEY";

/** Where a process of Pi's finds its configuration: a directory of its own, made of ours or of the user's. */
export interface RpcFiles {
  /** Pi writes there, so in a container it is in the state directory: the run directory is read-only there. */
  readonly agentDir: string;
  /** The directory of the session's that holds it. */
  readonly root: string;
  readonly extension: string;
  /** What our extension reads with every message. */
  readonly rules: string;
}

export function rpcFilesOf({ host, runDir, stateDir }: RpcPlaces): RpcFiles {
  const own = join(runDir, "pi");
  const isInside = host.name === "container";
  return {
    root: isInside ? stateDir : runDir,
    agentDir: isInside ? join(stateDir, "pi-agent") : own,
    extension: join(own, "halyard.js"),
    rules: join(own, "halyard-rules.json"),
  };
}

type RpcPlaces = Pick<ConnectRequest, "host" | "runDir" | "stateDir">;

export function writeRules(files: RpcFiles, rules: Rules): Promise<void> {
  return writeWhole(files.rules, JSON.stringify(rules));
}

export async function writeRpcFiles(
  files: RpcFiles,
  content: {
    readonly source: ModelSource;
    readonly reasoning: ReasoningLevel | undefined;
    readonly userDir: string;
    readonly extensionSource: string;
    readonly rules: Rules;
  },
): Promise<void> {
  const { agentDir, root, extension } = files;
  const { source, reasoning, userDir } = content;
  await mkdir(dirname(extension), { recursive: true, mode: 0o700 });
  const write = (name: string, text: string) =>
    writeAgentFile(root, join(relative(root, agentDir), name), text);
  const isOwn = source.kind === "own";
  const settings = isOwn ? await readIfThere(join(userDir, "settings.json")) : undefined;
  write("settings.json", withOwnSettings(settings));
  await writeFile(extension, content.extensionSource, { mode: 0o600 });
  await writeRules(files, content.rules);
  if (isOwn) await linkUserFiles(userDir, files);
  if (source.kind !== "endpoint") return;
  const provider = providerConfig(source.endpoint, reasoning, KEY_VARIABLE);
  const models = { providers: { [PROVIDER]: provider } };
  write("models.json", JSON.stringify(models, undefined, 2));
}

/** What Pi reads of the user's; through the links it can also renew a login. Its settings it gets as a copy. */
const linked = [
  "auth.json",
  "models.json",
  "extensions",
  "skills",
  "prompts",
  "npm",
  "git",
  "bin",
  "AGENTS.md",
  "CLAUDE.md",
  "SYSTEM.md",
  "APPEND_SYSTEM.md",
];

async function linkUserFiles(userDir: string, { root, agentDir }: RpcFiles): Promise<void> {
  for (const name of linked) {
    const original = join(userDir, name);
    if (await isThere(original))
      linkAgentFile(root, join(relative(root, agentDir), name), original);
  }
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function readIfThere(file: string): Promise<string | undefined> {
  return (await isThere(file)) ? readFile(file, "utf8") : undefined;
}
