/** What decides which runtime `newRuntime` gives, as the files of `config/` say it. */
export interface AgentConfig {
  /** `config/server.json`. */
  readonly server?: { readonly agent_runtime?: string } | undefined;
  /** `config/factory.json`. */
  readonly factory?: { readonly api_key?: string | undefined } | undefined;
  /** `metadata.json` of the project, which goes before the server. */
  readonly project?: { readonly agent_runtime?: string | undefined } | undefined;
}

/** Reads it from the files that hold in a directory, and for a project if one is named. */
export async function loadAgentConfig(
  options: {
    readonly cwd?: string;
    readonly env?: Readonly<Record<string, string | undefined>>;
    readonly projectID?: string;
  } = {},
): Promise<AgentConfig> {
  const { cwd = process.cwd(), env = process.env, projectID: project } = options;
  const [{ loadConfig }, { homeDirectory }] = await Promise.all([
    import("../../config/load.ts"),
    import("../../config/paths.ts"),
  ]);
  const home = homeDirectory(env);
  const config = await loadConfig({ env, cwd, home, ...(project && { project }) });
  return {
    server: config.server?.value,
    factory: config.factory?.value,
    project: config.project?.value,
  };
}
