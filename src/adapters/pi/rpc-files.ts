import { mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writeWhole } from "../../core/write-whole.ts";
import type { ReasoningLevel } from "../../schema/model.ts";
import { type ModelSource, PROVIDER, providerConfig } from "./model.ts";
import type { Rules } from "./rules.ts";
import { withOwnSettings } from "./settings.ts";

/** What stands in `models.json` for the key: the name of the variable that holds it. */
export const KEY_VARIABLE = "HALYARD_PI_API_KEY";

/** Where a process of Pi's finds its configuration: a directory of its own, made of ours or of the user's. */
export interface RpcFiles {
  readonly agentDir: string;
  readonly extension: string;
  /** What our extension reads with every message. */
  readonly rules: string;
}

export const rpcFilesIn = (runDir: string): RpcFiles => {
  const agentDir = join(runDir, "pi");
  const [extension, rules] = [join(agentDir, "halyard.js"), join(agentDir, "halyard-rules.json")];
  return { agentDir, extension, rules };
};

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
  const { agentDir, extension } = files;
  const { source, reasoning, userDir } = content;
  await mkdir(agentDir, { recursive: true, mode: 0o700 });
  const write = (file: string, text: string) => writeFile(file, text, { mode: 0o600 });
  const isOwn = source.kind === "own";
  const settings = isOwn ? await readIfThere(join(userDir, "settings.json")) : undefined;
  await write(join(agentDir, "settings.json"), withOwnSettings(settings));
  await write(extension, content.extensionSource);
  await writeRules(files, content.rules);
  if (isOwn) await linkUserFiles(userDir, agentDir);
  if (source.kind !== "endpoint") return;
  const provider = providerConfig(source.endpoint, reasoning, KEY_VARIABLE);
  const models = { providers: { [PROVIDER]: provider } };
  await write(join(agentDir, "models.json"), JSON.stringify(models, undefined, 2));
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

async function linkUserFiles(userDir: string, agentDir: string): Promise<void> {
  for (const name of linked) {
    const original = join(userDir, name);
    if (await isThere(original)) await symlink(original, join(agentDir, name));
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
