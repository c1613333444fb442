import { HalyardError } from "../core/error.ts";
import type { ContainerOptions } from "../schema/container.ts";
import type { HostName, RuntimeName } from "../schema/runtime.ts";
import { AGENT_LABEL } from "./agents.ts";
import type { Config, ConfigFile, LocalFile } from "./config.ts";
import { refusal } from "./trust.ts";

/** What is known of a session before it has a place. */
export interface HostRequest {
  readonly host?: HostName | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly container?: ContainerOptions | undefined;
}

/**
 * The host of a new session: the one that was asked for, else the one that its project, its rig, its agent or
 * `halyard.json` names, else tmux if the registry has `delivery: tmux` for its runtime, else the user's default, else the
 * local host. Container options are refused on every other host: an agent that was to have no network must not have one.
 */
export function chooseHost(
  config: Config,
  { container = {}, ...request }: HostRequest,
  { runtime, hosts }: { runtime: RuntimeName; hosts: ReadonlySet<HostName> },
): HostName {
  const { host, by } = hostSource(config, request, runtime);
  if (!hosts.has(host)) {
    const origin = by === undefined ? "" : ` of ${by}`;
    throw new HalyardError("unsupported", `there is no host ${host}${origin} here`);
  }
  if (host !== "container") requireNothing(container, host);
  return host;
}

/** The host of a session, and the file that names it. */
export function hostSource(
  config: Config,
  { host: asked, labels }: Pick<HostRequest, "host" | "labels">,
  runtime: RuntimeName,
): Said {
  const { delivery } = config.registry?.value?.runtimes[runtime] ?? {};
  const registered = `${runtime} in ~/.gastown/runtimes.json`;
  const said: Said[] = [
    ...(asked ? [{ host: asked }] : []),
    ...chosenFor(config, labels[AGENT_LABEL]),
    ...(delivery === "tmux" ? [{ host: delivery, by: registered }] : []),
    ...defaultOf(config.userSettings),
  ];
  return said[0] ?? { host: "local" };
}

function requireNothing(container: ContainerOptions, host: HostName): void {
  const [key] = Object.keys(container);
  if (key === undefined) return;
  throw new HalyardError(
    "invalid_input",
    `container.${key}: there is no container on the host ${host}; ask for the host container (--host container), or leave it out`,
  );
}

/** The hosts that directories want which the user does not trust, each as a warning. */
export function untrustedHosts({ project, rig, settings }: Config): string[] {
  const { agents, host } = settings?.value ?? {};
  const ofAgents = [agents?.defaults, ...(agents?.list ?? [])].map((agent) => agent?.host);
  const wishes = [
    { file: project, wants: project?.value?.host },
    { file: rig, wants: rig?.value?.host },
    { file: settings, wants: [host, ...ofAgents].find((one) => one !== undefined) },
  ];
  return wishes.flatMap(({ file, wants }) =>
    file?.isTrusted === false && wants !== undefined
      ? [refusal(file, `wants the host ${wants}, which is left out`)]
      : [],
  );
}

/** A host, and the file that says so. */
interface Said {
  readonly host: HostName;
  readonly by?: string;
}

/** Who chose a host for a project, a rig or an agent, in order. */
function chosenFor({ project, rig, settings, userSettings }: Config, agentId = ""): Said[] {
  const ofAgent = (file: Config["userSettings"]) =>
    saidBy(file, file?.value?.agents?.list?.find(({ id }) => id === agentId)?.host);
  return [
    ...saidBy(project, project?.value?.host),
    ...saidBy(rig, rig?.value?.host),
    ...ofAgent(settings),
    ...ofAgent(userSettings),
    ...defaultOf(settings),
  ];
}

function defaultOf(file: Config["settings"] | Config["userSettings"]): Said[] {
  const { agents, host } = file?.value ?? {};
  return saidBy(file, agents?.defaults?.host ?? host);
}

/** A fence that the user has put up is not for anybody's directory to take away: it is heard where it is trusted. */
function saidBy(
  file: ConfigFile<unknown> | LocalFile<unknown> | undefined,
  host: HostName | undefined,
): Said[] {
  if (file === undefined || host === undefined) return [];
  const isHeard = !("isTrusted" in file) || file.isTrusted;
  return isHeard ? [{ host, by: file.path }] : [];
}
