import { access } from "node:fs/promises";
import { homeDirectory, hostsFile } from "../../config/paths.ts";
import type { Halyard } from "../../contracts/halyard.ts";
import { reasonOf } from "../../errors/error.ts";
import { type Console, warn } from "../console/console.ts";

/** Options of a command that also works on the sessions of machines that "halyard host" lists. */
export interface HostOptions {
  /** True to include the sessions of all hosts. Defaults to false. */
  readonly hosts?: boolean;
  /** Called with each host that does not respond. Defaults to printing a warning. */
  readonly onUnreachable?: (host: string, reason: string) => void;
  /** Called with a host that responds again. */
  readonly onReached?: (host: string) => void;
  /** True to retry hosts that do not respond. Defaults to false. */
  readonly retries?: boolean;
}

/** Joins the sessions of the hosts with those of `own`. Returns `own` if `hosts` is false or no host was added. */
export async function withHosts(
  own: Halyard,
  console: Console,
  { hosts = false, onUnreachable = warnAbout(console), onReached, retries }: HostOptions,
): Promise<Halyard> {
  const home = homeDirectory(console.env);
  const file = hostsFile(home);
  if (!hosts || !(await exists(file))) return own;
  const { readHosts } = await import("../../ssh-hosts/host-list.ts");
  const known = await readHosts(file);
  if (known.length === 0) return own;
  const { JoinedHalyard } = await import("../../ssh-hosts/joined-halyard.ts");
  const { openHost } = await import("../../ssh-hosts/open-host.ts");
  const options = tunnelOptions(console);
  return new JoinedHalyard(
    own,
    known.map((host) => openHost(host, options)),
    {
      onUnreachable: (host, problem) => onUnreachable(host, reasonOf(problem)),
      onReached,
      retries,
    },
  );
}

/** Returns the options of the connections to hosts. */
export function tunnelOptions({ env }: Console) {
  return { home: homeDirectory(env), env, now: () => Date.now() };
}

function warnAbout(console: Console) {
  // The sink drops text if stderr is closed.
  return (_: string, reason: string) => void warn(console, [reason]).catch(() => {});
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
