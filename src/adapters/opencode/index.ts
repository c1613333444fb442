import type { Adapter } from "../../contracts/adapter.ts";
import type { Capability } from "../../schema/runtime.ts";
import { opencodePackage } from "../versions.ts";
import { mcpServersOf } from "./config/mcp-servers.ts";
import { connect } from "./connect.ts";
import { createMapper } from "./events/events.ts";
import { opencodePrograms, probeOpenCode } from "./find.ts";
import { forget } from "./forget.ts";
import { opencodeTools } from "./policy.ts";
import { opencodeProjectSettings } from "./project-settings.ts";
import { Servers } from "./server/servers.ts";
import { findSharedProcess } from "./server/shared-process.ts";
import { isSignedIn } from "./server/signed-in.ts";

export interface OpenCodeAdapterOptions {
  /**
   * The directory in which `halyard runtime install` installs runtimes. Used if the PATH contains no OpenCode whose
   * version is known.
   */
  readonly runtimesDir: string;
  /**
   * The environment of this process. OpenCode and its tools receive only the allow-listed variables; only OpenCode
   * receives keys.
   */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The default program: a path, or a name on the PATH. A session can override it. */
  readonly bin?: string | undefined;
  /** Maps a server's address to one that this process can reach. Defaults to the same address. */
  readonly reach?: (url: string) => string | Promise<string>;
}

const capabilities: readonly Capability[] = [
  "deltas",
  "reasoning",
  "tools",
  "usage",
  "cancel",
  "steer",
  "permissions",
  "questions",
  "plan",
  "resume",
  "attach",
  "endpoints",
  "tool-lists",
  "settings",
  "mcp",
  "images",
  "fork",
  "compact",
  "commands",
  "models",
  "native-sessions",
];

/** Creates the OpenCode adapter. A project's sessions with the same settings share a server. */
export function opencodeAdapter(options: OpenCodeAdapterOptions): Adapter {
  const { runtimesDir, env, bin } = options;
  const context = { ...options, servers: new Servers() };
  return {
    name: "opencode",
    displayName: "OpenCode",
    capabilities,
    accountVariable: "XDG_DATA_HOME", // OpenCode stores its logins in opencode/auth.json below this directory
    testedWith: opencodePackage.version,
    programsFor: opencodePrograms,
    projectSettings: opencodeProjectSettings,
    builtInTools: opencodeTools,
    probe: () => probeOpenCode({ env, runtimesDir, bin }),
    signIn: 'set the provider\'s key, such as ANTHROPIC_API_KEY, or run "opencode auth login"',
    isSignedIn: () => isSignedIn(env),
    checkOptions: (options) => void mcpServersOf({ options }),
    async compareSchema() {
      const [{ compareNames }, { schemaNames }, { testedSchema }] = await Promise.all([
        import("../../adapter-kit/schema-names.ts"),
        import("./own-schema.ts"),
        import("./tested-schema.ts"),
      ]);
      return compareNames(testedSchema, await schemaNames({ env, runtimesDir, bin }));
    },
    async models() {
      const { listModels } = await import("./models.ts");
      return listModels({ env, runtimesDir, bin });
    },
    async nativeSessions(request) {
      const { listUserSessions } = await import("./native-sessions.ts");
      return listUserSessions(request, { ...env, ...request.env });
    },
    conversation: {
      async read(paths) {
        const { exportSession } = await import("./move-session.ts");
        return exportSession(paths, { env, runtimesDir, bin });
      },
      async write(paths, files) {
        const { importSession } = await import("./move-session.ts");
        await importSession(paths, files, { env, runtimesDir, bin });
      },
    },
    findProcess: findSharedProcess,
    createMapper,
    connect: (request) => connect(request, context),
    forget: (session) => forget(session, context),
  };
}
