/**
 * A plugin for OpenCode's server, which runs the user's commands in its own environment: keys and the server's
 * password are not for them. What a variable was before, if it was anything, they see.
 */
export function pluginSource(environment: Readonly<Record<string, string | undefined>>): string {
  const entries = Object.entries(environment).map(([name, value]) => [name, value ?? null]);
  return `const environment = ${JSON.stringify(entries)};
export const Halyard = async () => ({
  "shell.env": async (_input, output) => {
    for (const [name, value] of environment) output.env[name] = value ?? undefined;
  },
});
`;
}
