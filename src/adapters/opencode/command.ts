import { join } from "node:path";
import type { Command } from "../../contracts/host.ts";
import { allowedEnvironment, type Environment } from "../../programs/environment.ts";
import type { HostName } from "../../schema/host.ts";
import { KEY_VARIABLE } from "./config/config.ts";
import type { ModelSource } from "./config/model.ts";
import { keysIn } from "./config/provider-keys.ts";

export interface CommandParts {
  readonly file: string;
  readonly host: HostName;
  /** The server's default working directory, which contains `CATALOG_FILE`. */
  readonly cwd: string;
  /** The directory with OpenCode's database and, if the user's login is not used, with `ownDirectories`. */
  readonly dataDir: string;
  readonly source: ModelSource;
  readonly config: Readonly<Record<string, unknown>>;
  readonly password: string;
  /** The environment of this process. OpenCode receives only a part of it. */
  readonly env: Environment;
  /** The session's variables, for OpenCode and its tools. */
  readonly given: Readonly<Record<string, string>>;
  /** True if OpenCode may read the project's configuration. */
  readonly trusted: boolean;
}

/** Builds the command that starts a server. A project's sessions with the same settings share the server. */
export function toCommand(parts: CommandParts & { readonly port: number }): Command {
  const { file, cwd, env, given, port } = parts;
  const args = ["serve", "--port", String(port), "--hostname", "127.0.0.1"];
  return { file, args, cwd, env: allowedEnvironment(env, { ...given, ...ownEnvironment(parts) }) };
}

/**
 * Returns the variables to reset for OpenCode's tools: OpenCode's own variables and the provider keys. The value is the
 * variable's original value, or undefined to unset the variable.
 */
export function toolEnvironment(parts: CommandParts): Record<string, string | undefined> {
  const own = Object.keys({ ...ownEnvironment(parts), ...keysIn(parts.env) });
  const before = { ...allowedEnvironment(parts.env), ...parts.given };
  return Object.fromEntries(own.map((name) => [name, before[name]]));
}

/** Returns the names of OpenCode's variables that contain secrets, except variables that the session sets. */
export function keyVariables({ env, given }: Pick<CommandParts, "env" | "given">): string[] {
  const own = [KEY_VARIABLE, CONFIG_VARIABLE, PASSWORD_VARIABLE, ...Object.keys(keysIn(env))];
  return own.filter((name) => !Object.hasOwn(given, name));
}

const CONFIG_VARIABLE = "OPENCODE_CONFIG_CONTENT";
const PASSWORD_VARIABLE = "OPENCODE_SERVER_PASSWORD";

/** Returns variables that make OpenCode use directories below `dataDir` instead of the user's directories. */
export function ownDirectories(dataDir: string): Record<string, string> {
  return {
    XDG_CONFIG_HOME: join(dataDir, "config"),
    XDG_DATA_HOME: join(dataDir, "data"),
    XDG_CACHE_HOME: join(dataDir, "cache"),
    XDG_STATE_HOME: join(dataDir, "state"),
  };
}

function ownEnvironment(parts: CommandParts): Record<string, string> {
  const { dataDir, config, password } = parts;
  return {
    ...sourceEnvironment(parts),
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

/** The user name for the server's HTTP API. */
export const USERNAME = "opencode";

/**
 * The file that replaces OpenCode's own catalog of models for an endpoint, in the server's working directory. The file
 * lists no models, because the configuration contains the endpoint's model. OpenCode's own catalog costs about a second
 * of CPU time in each directory.
 */
export const CATALOG_FILE = "models.json";

/**
 * Returns the variables for the model. If the user's login is not used, disables the default plugins, because they only
 * handle provider logins.
 */
function sourceEnvironment({ source, dataDir, cwd, env }: CommandParts): Record<string, string> {
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
        OPENCODE_MODELS_PATH: join(cwd, CATALOG_FILE),
      };
  }
}
