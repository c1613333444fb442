import { REGISTRY } from "../compat/gas-town/files/names.ts";
import { HalyardError } from "../errors/error.ts";
import type { ContainerOptions } from "../schema/container.ts";
import { HostName } from "../schema/host.ts";
import type { RuntimeName } from "../schema/runtime.ts";
import { AGENT_LABEL } from "./agents.ts";
import type { Config, ConfigFile, LocalFile } from "./config.ts";
import { refusal } from "./trust/is-trusted.ts";

/** The hosts that a command or a file can name. */
export const allHosts: ReadonlySet<HostName> = new Set(HostName.options);

/** The request fields that determine the host. */
export interface HostRequest {
  readonly host?: HostName | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly container?: ContainerOptions | undefined;
}

/**
 * Returns the host of a new session. The first of these sources that names a host decides: the request, the project,
 * the directory, the agent, `halyard.json`, `delivery: tmux` of the runtime in the registry, the user's settings.
 * Defaults to `local`. Untrusted files are ignored. Throws `unsupported` if the host is not in `hosts`. Throws
 * `invalid_input` if the request has container options and the host is not `container`, because the session would run
 * without the requested limits.
 */
export function chooseHost(
  config: Config,
  { container = {}, ...request }: HostRequest,
  { runtime, hosts }: { runtime: RuntimeName; hosts: ReadonlySet<HostName> },
): HostName {
  const { host, by } = hostSource(config, request, runtime);
  if (!hosts.has(host)) {
    const origin = by === undefined ? "" : ` (set by ${by})`;
    throw new HalyardError(
      "unsupported",
      `The host ${host}${origin} is not available on this machine. Choose another host (--host, or "host" in a request).`,
    );
  }
  if (host !== "container") requireNothing(container, host);
  return host;
}

/** Returns the host of a session, and its source. Omits the source if the request names the host or no source does. */
export function hostSource(
  config: Config,
  { host: asked, labels }: Pick<HostRequest, "host" | "labels">,
  runtime: RuntimeName,
): NamedHost {
  const { delivery } = config.registry?.value?.runtimes[runtime] ?? {};
  const registered = `${runtime} in ${REGISTRY}`;
  const named: NamedHost[] = [
    ...(asked ? [{ host: asked }] : []),
    ...chosenFor(config, labels[AGENT_LABEL]),
    ...(delivery === "tmux" ? [{ host: delivery, by: registered }] : []),
    ...defaultOf(config.userSettings),
  ];
  return named[0] ?? { host: "local" };
}

function requireNothing(container: ContainerOptions, host: HostName): void {
  const [key] = Object.keys(container);
  if (key === undefined) return;
  throw new HalyardError(
    "invalid_input",
    `container.${key}: the host ${host} has no container. Choose the container host (--host container), or remove the option.`,
  );
}

/** Returns a warning for each untrusted file that names a host. */
export function untrustedHosts({ project, directory, settings }: Config): string[] {
  const { agents, host } = settings?.value ?? {};
  const ofAgents = [agents?.defaults, ...(agents?.list ?? [])].map((agent) => agent?.host);
  const wishes = [
    { file: project, wants: project?.value?.host },
    { file: directory, wants: directory?.value?.host },
    { file: settings, wants: [host, ...ofAgents].find((one) => one !== undefined) },
  ];
  return wishes.flatMap(({ file, wants }) =>
    file?.isTrusted === false && wants !== undefined
      ? [refusal(file, `names the host ${wants}, which is ignored`)]
      : [],
  );
}

/** A host, and the source that names it: a file, or an entry of the registry. */
interface NamedHost {
  readonly host: HostName;
  readonly by?: string;
}

/**
 * Returns the hosts that trusted files name, in order of precedence: for the project, the directory and the agent, then
 * the default in `halyard.json`.
 */
function chosenFor(
  { project, directory, settings, userSettings }: Config,
  agentId = "",
): NamedHost[] {
  const ofAgent = (file: Config["userSettings"]) =>
    namedBy(file, file?.value?.agents?.list?.find(({ id }) => id === agentId)?.host);
  return [
    ...namedBy(project, project?.value?.host),
    ...namedBy(directory, directory?.value?.host),
    ...ofAgent(settings),
    ...ofAgent(userSettings),
    ...defaultOf(settings),
  ];
}

function defaultOf(file: Config["settings"] | Config["userSettings"]): NamedHost[] {
  const { agents, host } = file?.value ?? {};
  return namedBy(file, agents?.defaults?.host ?? host);
}

/**
 * Returns the host that a trusted file names. An untrusted file is ignored, because it must not disable a container
 * that the user has configured.
 */
function namedBy(
  file: ConfigFile<unknown> | LocalFile<unknown> | undefined,
  host: HostName | undefined,
): NamedHost[] {
  if (file === undefined || host === undefined) return [];
  const applies = !("isTrusted" in file) || file.isTrusted;
  return applies ? [{ host, by: file.path }] : [];
}
