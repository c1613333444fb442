/**
 * Returns the source of an OpenCode plugin that restores or unsets variables for commands. The server runs commands in
 * its own environment, which contains keys and the server's password.
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
