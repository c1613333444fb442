/** A Gas Town session's properties: the variable in its environment, and the label that stores the variable's value. */
export const gasTownNames = [
  { variable: "GT_SESSION_ID", label: "gt.session" },
  { variable: "GT_RIG", label: "gt.rig" },
  { variable: "GT_ROLE", label: "gt.role" },
  { variable: "GT_POLECAT", label: "gt.polecat" },
  { variable: "GT_CREW", label: "gt.crew" },
  { variable: "GT_BEAD", label: "gt.bead" },
  { variable: "BD_ACTOR", label: "gt.actor" },
] as const;

/**
 * Returns the labels for a session's Gas Town variables. Labels are stored; the environment is not, because it may
 * contain keys.
 */
export function gasTownLabels(env: Readonly<Record<string, string>>): Record<string, string> {
  const pairs = gasTownNames.flatMap(({ variable, label }) => {
    const value = env[variable];
    return value === undefined ? [] : [[label, value] as const];
  });
  return Object.fromEntries(pairs);
}
