import { HalyardError } from "./error.ts";

/** Returns the error for a command that names a machine outside a cluster. */
export function onOneMachine(on: string, command: string): HalyardError {
  return new HalyardError(
    "unsupported",
    `"${on}" names a machine, but this Halyard runs on one machine. Run "halyard --cluster ADDRESS ${command} --on ${on} …" to use a cluster, or "halyard host add ${on} ssh://user@host" to use another machine.`,
  );
}
