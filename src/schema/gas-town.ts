/** What a Gas Town session is, by the variable that tells its process and the label that keeps it on record. */
export const gasTownNames = [
  { variable: "GT_SESSION_ID", label: "gt.session" },
  { variable: "GT_RIG", label: "gt.rig" },
  { variable: "GT_ROLE", label: "gt.role" },
  { variable: "GT_POLECAT", label: "gt.polecat" },
  { variable: "GT_CREW", label: "gt.crew" },
  { variable: "GT_BEAD", label: "gt.bead" },
  { variable: "BD_ACTOR", label: "gt.actor" },
] as const;

/** A session's environment as labels, for the environment itself, which may hold keys, is never on record. */
export function gasTownLabels(env: Readonly<Record<string, string>>): Record<string, string> {
  const pairs = gasTownNames.flatMap(({ variable, label }) => {
    const value = env[variable];
    return value === undefined ? [] : [[label, value] as const];
  });
  return Object.fromEntries(pairs);
}
