/** The directory that contains Gas Town's files, in the user's home directory and in a rig. */
export const DIRECTORY = ".gastown";

/** The path of a rig's file, relative to the rig. */
export const RIG_FILE = `${DIRECTORY}/runtime.json`;

/** The path of the runtime registry, relative to the user's home directory. */
export const REGISTRY_FILE = `${DIRECTORY}/runtimes.json`;

/** The path of the runtime registry, as messages show it. */
export const REGISTRY = `~/${REGISTRY_FILE}`;

/** The prompt for a runtime whose hooks do not run `gt prime`. */
export const PRIME = "Run `gt prime` in the shell now, before anything else, and do as it says.";

/**
 * Returns the variables from which Gas Town reads the runtime's own session id. Returns none if the environment contains
 * no `GT_SESSION_ID`.
 */
export function sessionVariables(
  variable: string,
  sessionId: string,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return env.GT_SESSION_ID === undefined
    ? {}
    : { [variable]: sessionId, GT_SESSION_ID_ENV: variable };
}
