import { join } from "node:path";
import { allowedEnvironment, type Environment } from "../../core/environment.ts";
import type { Command } from "../../core/host.ts";
import type { HostName } from "../../schema/runtime.ts";
import { KEY_VARIABLE } from "./config.ts";
import type { ModelSource } from "./model.ts";
import { keysIn } from "./provider-keys.ts";

export interface CommandParts {
  readonly file: string;
  readonly host: HostName;
  /** Where the server works when no session says otherwise. */
  readonly cwd: string;
  /** Where what OpenCode remembers is kept. */
  readonly dataDir: string;
  readonly source: ModelSource;
  readonly config: Readonly<Record<string, unknown>>;
  readonly password: string;
  /** Ours, of which only a part is passed on. */
  readonly env: Environment;
  /** What the session was given by name: for OpenCode and its tools. */
  readonly given: Readonly<Record<string, string>>;
  /** Whether OpenCode reads the configuration of the project. */
  readonly trusted: boolean;
}

/** The command line of the server that all sessions of a project share. */
export function toCommand(parts: CommandParts & { readonly port: number }): Command {
  const { file, cwd, env, given } = parts;
  const port = parts.host === "container" ? 4096 : parts.port; // a container has its ports to itself
  const args = ["serve", "--port", String(port), "--hostname", "127.0.0.1"];
  return { file, args, cwd, env: allowedEnvironment(env, { ...given, ...ownEnvironment(parts) }) };
}

/** What OpenCode's tools are to see of the variables that are its own business: nothing, or what they were before. */
export function toolEnvironment(parts: CommandParts): Record<string, string | undefined> {
  const own = Object.keys({ ...ownEnvironment(parts), ...keysIn(parts.env) });
  const before = { ...allowedEnvironment(parts.env), ...parts.given };
  return Object.fromEntries(own.map((name) => [name, before[name]]));
}

/** The variables of its that hold keys. */
export function keyVariables({ env, given }: Pick<CommandParts, "env" | "given">): string[] {
  const own = [KEY_VARIABLE, CONFIG_VARIABLE, PASSWORD_VARIABLE, ...Object.keys(keysIn(env))];
  return own.filter((name) => !Object.hasOwn(given, name));
}

const CONFIG_VARIABLE = "OPENCODE_CONFIG_CONTENT";
const PASSWORD_VARIABLE = "OPENCODE_SERVER_PASSWORD";

/** OpenCode's own directories, of which the user's are left alone wherever the user's login is not needed. */
export function ownDirectories(dataDir: string): Record<string, string> {
  return {
    XDG_CONFIG_HOME: join(dataDir, "config"),
    XDG_DATA_HOME: join(dataDir, "data"),
    XDG_CACHE_HOME: join(dataDir, "cache"),
    XDG_STATE_HOME: join(dataDir, "state"),
  };
}

function ownEnvironment(parts: CommandParts): Record<string, string> {
  const { dataDir, source, config, password, env } = parts;
  return {
    ...sourceEnvironment(source, dataDir, env),
    OPENCODE_DB: join(dataDir, "opencode.db"),
    [CONFIG_VARIABLE]: JSON.stringify(config),
    [PASSWORD_VARIABLE]: password,
    OPENCODE_SERVER_USERNAME: USERNAME,
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_SHARE: "1",
    ...(!parts.trusted && { OPENCODE_DISABLE_PROJECT_CONFIG: "1" }),
  };
}

export const USERNAME = "opencode";

/** The plugins that come with OpenCode are about logins to providers. */
function sourceEnvironment(
  source: ModelSource,
  dataDir: string,
  env: Environment,
): Record<string, string> {
  switch (source.kind) {
    case "own":
      return keysIn(env);
    case "vendor":
      return {
        ...ownDirectories(dataDir),
        [KEY_VARIABLE]: source.apiKey,
        OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      };
    case "endpoint":
      return {
        ...ownDirectories(dataDir),
        [KEY_VARIABLE]: source.endpoint.apiKey,
        OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      };
  }
}
