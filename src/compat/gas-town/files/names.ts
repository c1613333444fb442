/** The directory of Gas Town's files, in the home directory of the user and in a rig. */
export const DIRECTORY = ".gastown";

/** The file of a rig, relative to it. */
export const RIG_FILE = `${DIRECTORY}/runtime.json`;

/** The registry of runtimes, relative to the home directory of the user. */
export const REGISTRY_FILE = `${DIRECTORY}/runtimes.json`;

/** The registry of runtimes, as messages name it. */
export const REGISTRY = `~/${REGISTRY_FILE}`;

/** The prompt for a runtime whose hooks do not run `gt prime`. */
export const PRIME = "Run `gt prime` in the shell now, before anything else, and do as it says.";

/** Returns the variables that Gas Town reads, for a session whose environment contains the id of a Gas Town session. */
export function sessionVariables(
  variable: string,
  sessionId: string,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return env.GT_SESSION_ID === undefined
    ? {}
    : { [variable]: sessionId, GT_SESSION_ID_ENV: variable };
}
