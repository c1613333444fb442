import { HalyardError } from "./error.ts";

/** Returns the error for a command that names a machine although this Halyard instance is not part of a cluster. */
export function onOneMachine(on: string, command: string): HalyardError {
  const other =
    command !== "resume"
      ? `, or "halyard host add ${on} ssh://user@host" to use another machine`
      : "";
  return new HalyardError(
    "unsupported",
    `"${on}" names a machine, but this Halyard instance is not part of a cluster. Run "halyard --cluster ADDRESS ${command} --on ${on} …" to use a cluster${other}.`,
  );
}
