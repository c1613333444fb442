import { HalyardError } from "../../../../errors/error.ts";
import type { EngineAddress } from "./address.ts";

/** Returns the error for an engine that does not respond. Its message states the cause and the next step. */
export function explainUnreachable(cause: Error, address: EngineAddress): HalyardError {
  return new HalyardError("host_unavailable", message(cause, address), { cause });
}

function message(cause: Error, { engine, url }: EngineAddress): string {
  const name = displayNames[engine];
  switch ("code" in cause ? cause.code : undefined) {
    case "ENOENT":
      return `${name} is not running at ${url}. Start it: ${howToStart[engine]}.`;
    case "ECONNREFUSED":
      return `${name} is not running: nothing listens on its socket ${url}. Start it: ${howToStart[engine]}.`;
    case "EACCES":
    case "EPERM":
      return `The current user has no access to ${url}. ${howToBeAllowed[engine]}.`;
    default:
      return `${name} at ${url} does not respond: ${cause.message}. Check the address, or restart the engine.`;
  }
}

const displayNames = { docker: "Docker", podman: "Podman" } as const;

const howToStart = {
  docker: 'run "systemctl start docker" or "dockerd", or open Docker Desktop',
  podman: 'run "systemctl --user start podman.socket" or "podman system service --time=0"',
} as const;

const howToBeAllowed = {
  docker: 'Add the user to the group "docker" and sign in again, or use rootless Docker',
  podman: 'Start the user\'s own Podman: run "systemctl --user start podman.socket"',
} as const;
