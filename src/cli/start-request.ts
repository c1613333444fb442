import type { Config } from "../config/config.ts";
import { effectiveSettings } from "../config/effective-settings.ts";
import { allHosts } from "../config/host-choice.ts";
import { modelSources } from "../config/models/default-model.ts";
import { chooseModelAgain, type ModelFlags } from "../config/models/model-choice.ts";
import { type Resolvable, resolveSession } from "../config/resolve-session.ts";
import { userTrust } from "../config/trust/user-trust.ts";
import { untrustedAccounts } from "../config/untrusted-accounts.ts";
import type { ResumeOptions } from "../contracts/resume-options.ts";
import { didYouMean } from "../errors/did-you-mean.ts";
import { HalyardError } from "../errors/error.ts";
import type { Budget } from "../schema/budget.ts";
import type { ReasoningLevel } from "../schema/model.ts";
import type { PermissionPolicy } from "../schema/permission.ts";
import type { RuntimeName } from "../schema/runtime.ts";
import type { StartRequest } from "../schema/session/start-request.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { OnLimit } from "../schema/usage-limit.ts";
import { type Console, warn } from "./console/console.ts";
import { type HostFlags, hostRequest } from "./host-flag.ts";
import { modelVariables, takesEndpoints } from "./known-runtime.ts";
import { resolveSessionPaths } from "./session-paths.ts";
import { loadSessionConfig } from "./trust/session-config.ts";
import { trustPaths } from "./trust/trust-paths.ts";

/** The command-line options that name an ACP agent. */
export interface AgentFlags {
  /** The command line of an ACP agent. */
  readonly command?: string;
  /** The address of a remote ACP agent. */
  readonly url?: string;
}

/** The command-line options of a new session. */
export interface SessionFlags extends ModelFlags, HostFlags, AgentFlags {
  readonly runtime?: string;
  /** The runtime's own id of a native session, or the start of the id. */
  readonly from?: string;
  readonly cwd?: string;
  /** The machine: a name in `halyard host list`, or the name or a label of a cluster machine. */
  readonly on?: string;
  /** The address of a repository to clone. */
  readonly repo?: string;
  readonly ref?: string;
  /** True to copy the files of the directory to the machine that runs the session. */
  readonly upload?: boolean;
  readonly project?: string;
  readonly permissions?: PermissionPolicy;
  readonly plan?: boolean;
  readonly reasoning?: ReasoningLevel;
  readonly name?: string;
  readonly raw?: boolean;
  /** False for `--no-checkpoints`. */
  readonly checkpoints?: boolean;
  readonly label?: Readonly<Record<string, string>>;
  readonly onLimit?: OnLimit;
  readonly budget?: Budget;
  readonly tools?: readonly string[];
  readonly disableTools?: readonly string[];
  readonly worktree?: boolean;
  /** The branch of the worktree. */
  readonly branch?: string;
  readonly base?: string;
}

/**
 * Builds a start request. Options take precedence over the environment, and the environment over configuration files.
 */
export async function readStartRequest(
  flags: SessionFlags,
  console: Console,
): Promise<StartRequest> {
  const { env } = console;
  const { cwd: inRepository, ...others } = flags;
  const paths = await resolveSessionPaths(flags.repo === undefined ? flags : others, console);
  const { cwd } = paths;
  const config = await loadSessionConfig(paths, console);
  await warn(console, [...(config.warnings ?? []), ...effectiveSettings(config).warnings]);
  const project = paths.project === undefined ? {} : { project: paths.project };
  const { decision, request } = await resolveSession(config, toRequest(flags, project), {
    env,
    isNew: true,
    flags,
    usesVariables: true,
    hosts: allHosts,
    takesEndpoints: (decided) => takesEndpoints(decided, config, env),
  });
  const { runtime, explicit } = decision;
  const { model } = request;
  rejectUnusedCommand(flags, runtime);
  await warn(console, misspelledModel(flags.model ?? env.HALYARD_MODEL, config));
  await warn(console, untrustedAccounts(config, runtime));
  const permissions = flags.permissions ?? effectiveSettings(config).permissions;
  return {
    // A default runtime is not passed, so that Halyard can fall back to another runtime.
    ...((explicit || flags.from !== undefined) && { runtime }),
    ...(flags.from !== undefined && { continuedFrom: flags.from }),
    ...(await filesOf(flags, { cwd, inRepository, env })),
    ...project,
    ...(flags.on !== undefined && { on: flags.on }),
    ...hostRequest(flags),
    plan: flags.plan ?? false,
    raw: flags.raw ?? false,
    ...(flags.checkpoints === false && { checkpoints: false }),
    ...(model && { model }),
    ...(permissions !== undefined && { permissions }),
    ...(flags.reasoning !== undefined && { reasoning: flags.reasoning }),
    ...(flags.name !== undefined && { name: flags.name }),
    ...(flags.label && { labels: { ...flags.label } }),
    ...(flags.onLimit !== undefined && { onLimit: flags.onLimit }),
    ...(flags.budget && { budget: flags.budget }),
    ...toolLists(flags),
    ...worktreeRequest(flags),
    ...agentOptions(flags),
  };
}

/** Returns the fields that name the files of the session: a directory, a clone, or a copy of a directory. */
async function filesOf(
  { repo, ref, upload }: SessionFlags,
  at: { readonly cwd: string; readonly inRepository: string | undefined } & Pick<Console, "env">,
): Promise<Pick<StartRequest, "cwd" | "repository" | "upload">> {
  if (repo !== undefined && upload)
    throw new HalyardError(
      "invalid_input",
      "--repo and --upload cannot be combined. Use one of them.",
    );
  if (repo === undefined && ref !== undefined)
    throw new HalyardError("invalid_input", "--ref needs --repo URL. Add --repo, or remove --ref.");
  if (upload) {
    const { packDirectory } = await import("../workspace/transfer/pack-directory.ts");
    return packDirectory(at.cwd, at.env);
  }
  if (repo === undefined) return { cwd: at.cwd };
  const repository = { url: repo, ...(ref !== undefined && { ref }) };
  return { cwd: at.inRepository ?? ".", repository };
}

/** Returns the request fields that the configuration can fill in. */
function toRequest(
  { runtime, permissions, label = {}, ...flags }: SessionFlags,
  project: Pick<StartRequest, "project">,
): Resolvable {
  return {
    runtime,
    permissions,
    ...project,
    ...hostRequest(flags),
    labels: label,
    options: {},
    env: {},
  };
}

function toolLists({ tools, disableTools }: SessionFlags): Pick<StartRequest, "tools"> {
  if (!tools && !disableTools) return {};
  return {
    tools: {
      ...(tools && { enabled: [...tools] }),
      ...(disableTools && { disabled: [...disableTools] }),
    },
  };
}

/** Returns the worktree field of the request. `--branch` and `--base` imply `--worktree`. */
function worktreeRequest({ worktree, branch, base }: SessionFlags): Pick<StartRequest, "worktree"> {
  if (branch === undefined && base === undefined) return worktree ? { worktree: true } : {};
  return {
    worktree: { ...(branch !== undefined && { branch }), ...(base !== undefined && { base }) },
  };
}

/**
 * Returns a warning if a model name is not in models.json but is similar to a name there. Other names are ids of models,
 * which models.json does not have to contain.
 */
function misspelledModel(name: string | undefined, config: Config): string[] {
  const names = Object.keys(modelSources(config).models?.models ?? {});
  if (name === undefined || names.includes(name)) return [];
  const advice = didYouMean(name, names);
  return advice === "" ? [] : [`models.json has no model "${name}".${advice}`];
}

/** Rejects `--command` and `--url` for runtimes that would ignore them. */
function rejectUnusedCommand({ command, url }: SessionFlags, runtime: RuntimeName): void {
  if ((command === undefined && url === undefined) || runtime === "acp") return;
  const flag = command === undefined ? "--url" : "--command";
  throw new HalyardError(
    "invalid_input",
    `${flag} works only with the runtime acp, but the runtime of this session is ${runtime}. Add --runtime acp, or remove ${flag}.`,
  );
}

/** Returns the options of an ACP agent. */
export function agentOptions({ command, url }: AgentFlags): Pick<StartRequest, "options"> {
  if (command === undefined && url === undefined) return {};
  return {
    options: { ...(command !== undefined && { command }), ...(url !== undefined && { url }) },
  };
}

/** Builds the options of a resume: the given flags, and the model, whose key is read again. */
export async function readResumeOptions(
  flags: Pick<SessionFlags, keyof ModelFlags | "permissions" | "reasoning">,
  info: SessionInfo,
  console: Console,
): Promise<ResumeOptions> {
  const { env } = console;
  const cwd = info.worktree?.origin ?? info.cwd;
  const config = await loadSessionConfig({ cwd }, console);
  await warn(console, config.warnings ?? []);
  const { from } = info.model ?? {};
  const isUntrusted = from !== undefined && !(await userTrust(from, trustPaths(console))).trusted;
  const variables = await modelVariables(info.runtime, config, env);
  const sources = { flags, env: variables, ...modelSources(config) };
  const model = chooseModelAgain(sources, info.model, { isStrange: isUntrusted });
  return {
    ...(model && { model }),
    ...(flags.permissions !== undefined && { permissions: flags.permissions }),
    ...(flags.reasoning !== undefined && { reasoning: flags.reasoning }),
  };
}
