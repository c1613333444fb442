import { HalyardError } from "../core/error.ts";
import type { HostName, RuntimeName } from "../schema/runtime.ts";
import type { RuntimeEntry } from "../schema/runtime-entry.ts";

/** Where a new session runs: where it was asked to, or where the runtime's registered delivery can be done. */
export function hostFor(
  runtime: RuntimeName,
  entry: RuntimeEntry | undefined,
  asked: HostName | undefined,
  hosts: ReadonlySet<HostName>,
): HostName {
  const { delivery } = entry ?? {};
  const host = asked ?? (delivery === "tmux" ? "tmux" : "local");
  const isFit = delivery === undefined || (delivery === "tmux") === (host === "tmux");
  if (isFit && hosts.has(host)) return host;
  const registered = `${runtime} is registered with delivery ${delivery}`;
  const problem = isFit ? `there is no host ${host} here` : `the host ${host} cannot do that`;
  throw new HalyardError(
    "unsupported",
    delivery === undefined
      ? problem
      : `${registered}, and ${problem}; choose another host, or change delivery in ~/.gastown/runtimes.json`,
  );
}
