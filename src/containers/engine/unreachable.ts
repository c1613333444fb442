import { HalyardError } from "../../core/error.ts";
import type { EngineAddress } from "./address.ts";

/** Why an engine does not answer, and what to do about it. */
export function explainUnreachable(cause: Error, address: EngineAddress): HalyardError {
  return new HalyardError("host_unavailable", message(cause, address), { cause });
}

function message(cause: Error, { engine, url }: EngineAddress): string {
  const name = displayNames[engine];
  switch ("code" in cause ? cause.code : undefined) {
    case "ENOENT":
      return `There is no ${name} at ${url}. Start it: ${howToStart[engine]}.`;
    case "ECONNREFUSED":
      return `Nobody answers at ${url}: ${name} has ended without clearing its socket away. Start it again: ${howToStart[engine]}.`;
    case "EACCES":
    case "EPERM":
      return `${url} may not be used by this user. ${howToBeAllowed[engine]}.`;
    default:
      return `${name} at ${url} does not answer: ${cause.message}.`;
  }
}

const displayNames = { docker: "Docker", podman: "Podman" } as const;

const howToStart = {
  docker: "`systemctl start docker`, `dockerd`, or open Docker Desktop",
  podman: "`systemctl --user start podman.socket`, or `podman system service --time=0`",
} as const;

const howToBeAllowed = {
  docker: "Add the user to the group `docker` and sign in again, or use rootless Docker",
  podman: "Use the socket of the user's own Podman: `systemctl --user start podman.socket`",
} as const;
