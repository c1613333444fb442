import type { Config } from "../config/config.ts";
import { defaultModel, modelSources } from "../config/default-model.ts";
import { effectiveSettings } from "../config/effective-settings.ts";
import { loadConfig } from "../config/load.ts";
import { chooseModel, chooseModelAgain, type ModelFlags } from "../config/model-choice.ts";
import { homeDirectory } from "../config/paths.ts";
import { resolveRuntime } from "../config/resolve-runtime.ts";
import { strangersIn } from "../config/strangers.ts";
import { userTrust } from "../config/trust/user-trust.ts";
import { didYouMean } from "../core/did-you-mean.ts";
import { HalyardError } from "../core/error.ts";
import type { ResumeOptions } from "../core/halyard.ts";
import type { ReasoningLevel } from "../schema/model.ts";
import type { PermissionPolicy } from "../schema/permission.ts";
import type { RuntimeName } from "../schema/runtime.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { StartRequest } from "../schema/start-request.ts";
import { type HostFlags, hostRequest } from "./host-flag.ts";
import { modelVariables, requireKnown } from "./known-runtime.ts";
import { sessionPlace } from "./session-place.ts";
import { type Terminal, warn } from "./terminal.ts";
import { trustPlaces } from "./trust-places.ts";

/** What the command line says of a session to be started. */
export interface SessionFlags extends ModelFlags, HostFlags {
  readonly runtime?: string;
  /** The agent's own command line. */
  readonly command?: string;
  readonly cwd?: string;
  readonly project?: string;
  readonly permissions?: PermissionPolicy;
  readonly plan?: boolean;
  readonly reasoning?: ReasoningLevel;
  readonly name?: string;
  readonly raw?: boolean;
  readonly label?: Readonly<Record<string, string>>;
  readonly tools?: readonly string[];
  readonly disableTools?: readonly string[];
}

/** What a session is to be started with: flags before the environment before the files that hold in its directory. */
export async function readStartRequest(
  flags: SessionFlags,
  terminal: Terminal,
): Promise<StartRequest> {
  const { env } = terminal;
  const place = await sessionPlace(flags, terminal);
  const { cwd } = place;
  const { trusted } = await userTrust(cwd, trustPlaces(terminal));
  const config = await loadConfig({ ...place, env, home: homeDirectory(env), trusted });
  const settings = effectiveSettings(config);
  await warn(terminal, [...(config.warnings ?? []), ...settings.warnings]);
  const asked = flags.runtime === undefined ? {} : { runtime: flags.runtime };
  const project = place.project === undefined ? {} : { project: place.project };
  const decision = resolveRuntime(config, { ...asked, ...project });
  const { runtime, explicit } = decision;
  await requireKnown(decision, config, env);
  requireUse(flags, runtime);
  const usualModel = defaultModel(config, runtime);
  const model = chooseModel({
    flags,
    env: await modelVariables(runtime, config, env),
    ...modelSources(config),
    ...(usualModel !== undefined && { defaultModel: usualModel }),
  });
  await warn(terminal, misspelledModel(flags.model ?? env.HALYARD_MODEL, config));
  await warn(terminal, strangersIn(config, runtime));
  const permissions = flags.permissions ?? settings.permissions;
  return {
    ...(explicit && { runtime }), // a default is left to whoever can fall back from it
    cwd,
    ...project,
    ...hostRequest(flags),
    plan: flags.plan ?? false,
    raw: flags.raw ?? false,
    ...(model && { model }),
    ...(permissions !== undefined && { permissions }),
    ...(flags.reasoning !== undefined && { reasoning: flags.reasoning }),
    ...(flags.name !== undefined && { name: flags.name }),
    ...(flags.label && { labels: { ...flags.label } }),
    ...toolLists(flags),
    ...(flags.command !== undefined && { options: { command: flags.command } }),
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

/** A name that is none of models.json is the model's own, or a mistake. */
function misspelledModel(name: string | undefined, config: Config): string[] {
  const names = Object.keys(modelSources(config).models?.models ?? {});
  if (name === undefined || names.includes(name)) return [];
  const advice = didYouMean(name, names);
  return advice === "" ? [] : [`models.json has no model "${name}".${advice}`];
}

/** A command line that nobody runs must not look as if somebody did. */
function requireUse({ command }: SessionFlags, runtime: RuntimeName): void {
  if (command === undefined || runtime === "acp") return;
  throw new HalyardError(
    "invalid_input",
    `--command is for the runtime acp, and this session gets ${runtime}; add --runtime acp, or leave it out`,
  );
}

/** What a session is to be resumed with: as it was, unless a flag says otherwise, and with its key looked up again. */
export async function readResumeOptions(
  flags: Pick<SessionFlags, keyof ModelFlags | "permissions" | "reasoning">,
  info: SessionInfo,
  terminal: Terminal,
): Promise<ResumeOptions> {
  const { env } = terminal;
  const { trusted } = await userTrust(info.cwd, trustPlaces(terminal));
  const config = await loadConfig({ env, cwd: info.cwd, home: homeDirectory(env), trusted });
  await warn(terminal, config.warnings ?? []);
  const { from } = info.model ?? {};
  const isStrange = from !== undefined && !(await userTrust(from, trustPlaces(terminal))).trusted;
  const variables = await modelVariables(info.runtime, config, env);
  const sources = { flags, env: variables, ...modelSources(config) };
  const model = chooseModelAgain(sources, info.model, { isStrange });
  return {
    ...(model && { model }),
    ...(flags.permissions !== undefined && { permissions: flags.permissions }),
    ...(flags.reasoning !== undefined && { reasoning: flags.reasoning }),
  };
}
