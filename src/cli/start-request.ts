import { resolve } from "node:path";
import { defaultModel, modelSources } from "../config/default-model.ts";
import { effectiveSettings } from "../config/effective-settings.ts";
import { loadConfig } from "../config/load.ts";
import { chooseModel, chooseModelAgain, type ModelFlags } from "../config/model-choice.ts";
import { homeDirectory } from "../config/paths.ts";
import { resolveRuntime } from "../config/resolve-runtime.ts";
import { strangersIn } from "../config/strangers.ts";
import type { ResumeOptions } from "../core/halyard.ts";
import type { ReasoningLevel } from "../schema/model.ts";
import type { PermissionPolicy } from "../schema/permission.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { StartRequest } from "../schema/start-request.ts";
import { type HostFlags, hostRequest } from "./host-flag.ts";
import { type Terminal, warn } from "./terminal.ts";

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
}

/** What a session is to be started with: flags before the environment before the files that hold in its directory. */
export async function readStartRequest(
  flags: SessionFlags,
  terminal: Terminal,
): Promise<StartRequest> {
  const { env } = terminal;
  const place = await placeOf(flags, terminal);
  const { cwd } = place;
  const config = await loadConfig({ ...place, env, home: homeDirectory(env) });
  const settings = effectiveSettings(config);
  await warn(terminal, [...(config.warnings ?? []), ...settings.warnings]);
  const asked = flags.runtime === undefined ? {} : { runtime: flags.runtime };
  const project = place.project === undefined ? {} : { project: place.project };
  const { runtime, explicit } = resolveRuntime(config, { ...asked, ...project });
  const usualModel = defaultModel(config, runtime);
  const model = chooseModel({
    flags,
    env,
    ...modelSources(config),
    ...(usualModel !== undefined && { defaultModel: usualModel }),
  });
  await warn(terminal, strangersIn(config, runtime, model));
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
    ...(flags.command !== undefined && { options: { command: flags.command } }),
  };
}

/** Where a session works: in a directory, or in a workspace of the project that is named. */
async function placeOf(
  { cwd, project: name }: SessionFlags,
  terminal: Terminal,
): Promise<{ cwd: string; root?: string; project?: string }> {
  if (name === undefined) return { cwd: resolve(cwd ?? ".") };
  const { findProject, openProjects } = await import("./open-projects.ts");
  const projects = openProjects(terminal);
  const project = await findProject(projects, name);
  const workspace = cwd === undefined ? await projects.openWorkspace(project) : resolve(cwd);
  return { cwd: workspace, root: process.cwd(), project: project.id };
}

/** What a session is to be resumed with: as it was, unless a flag says otherwise, and with its key looked up again. */
export async function readResumeOptions(
  flags: Pick<SessionFlags, keyof ModelFlags | "permissions" | "reasoning">,
  info: SessionInfo,
  terminal: Terminal,
): Promise<ResumeOptions> {
  const { env } = terminal;
  const config = await loadConfig({ env, cwd: info.cwd, home: homeDirectory(env) });
  await warn(terminal, config.warnings ?? []);
  const model = chooseModelAgain({ flags, env, ...modelSources(config) }, info.model);
  return {
    ...(model && { model }),
    ...(flags.permissions !== undefined && { permissions: flags.permissions }),
    ...(flags.reasoning !== undefined && { reasoning: flags.reasoning }),
  };
}
