import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { ConnectRequest } from "../../../contracts/adapter.ts";
import { writeFileAtomically } from "../../../files/write-file-atomically.ts";
import { linkAgentFile, writeAgentFile } from "../../../permissions/agent-writable.ts";
import type { ReasoningLevel } from "../../../schema/model.ts";
import { type ModelSource, PROVIDER, providerConfig } from "../model/model.ts";
import type { Rules } from "../policy.ts";
import { withOwnSettings } from "../settings.ts";

/** The environment variable that contains the key for an endpoint. */
export const KEY_VARIABLE = "HALYARD_PI_API_KEY";

/**
 * The reference to the key in `models.json`. Since 0.77, Pi reads `$NAME` as the variable NAME and any other text as
 * the key itself. Older versions read the whole text, including the `$`, as the name of a variable. Both variables are
 * set, because the Pi version in a container is unknown.
 */
export const KEY_REFERENCE = `$${KEY_VARIABLE}`;

/** The configuration files of a Pi process, in one of the session's directories. */
export interface RpcFiles {
  /**
   * Pi's agent directory, to which Pi writes. In a container, it is in the state directory, because the run directory is
   * read-only there.
   */
  readonly agentDir: string;
  /** The session directory that contains `agentDir`. */
  readonly root: string;
  readonly extension: string;
  /** The file that Halyard's extension reads with every message. */
  readonly rules: string;
}

/** Returns the paths of Pi's configuration files. */
export function rpcFilesOf({ host, runDir, stateDir }: RpcPaths): RpcFiles {
  const own = join(runDir, "pi");
  const isContainer = host.name === "container";
  return {
    root: isContainer ? stateDir : runDir,
    agentDir: isContainer ? join(stateDir, "pi-agent") : own,
    extension: join(own, "halyard.js"),
    rules: join(own, "halyard-rules.json"),
  };
}

type RpcPaths = Pick<ConnectRequest, "host" | "runDir" | "stateDir">;

/** Writes the rules for Halyard's extension. */
export function writeRules(files: RpcFiles, rules: Rules): Promise<void> {
  return writeFileAtomically(files.rules, JSON.stringify(rules));
}

/** Writes the configuration of a new Pi process. */
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
  const settings = isOwn ? await readOptional(join(userDir, "settings.json")) : undefined;
  write("settings.json", withOwnSettings(settings));
  await writeFile(extension, content.extensionSource, { mode: 0o600 });
  await writeRules(files, content.rules);
  if (isOwn) await linkUserFiles(userDir, files);
  if (source.kind !== "endpoint") return;
  const provider = providerConfig(source.endpoint, reasoning, KEY_REFERENCE);
  const models = { providers: { [PROVIDER]: provider } };
  write("models.json", JSON.stringify(models, undefined, 2));
}

/** The user's files to link. A link to the login lets Pi renew the login. The settings are copied instead. */
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
    if (await exists(original)) linkAgentFile(root, join(relative(root, agentDir), name), original);
  }
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function readOptional(file: string): Promise<string | undefined> {
  return (await exists(file)) ? readFile(file, "utf8") : undefined;
}
