import type { Adapter } from "../../core/adapter.ts";
import type { Capability } from "../../schema/runtime.ts";
import { opencodePackage } from "../versions.ts";
import { connect } from "./connection.ts";
import { createMapper } from "./events.ts";
import { opencodePrograms, probeOpenCode } from "./find.ts";
import { forget } from "./forget.ts";
import { mcpServersOf } from "./mcp-servers.ts";
import { opencodeProjectSettings } from "./project-settings.ts";
import { Servers } from "./servers.ts";
import { findSharedProcess } from "./shared-process.ts";
import { isSignedIn } from "./signed-in.ts";

export interface OpenCodeAdapterOptions {
  /** Where `halyard runtime install` puts runtimes, for when OpenCode is not on the PATH. */
  readonly runtimesDir: string;
  /** What OpenCode and its tools may be told of the machine; the keys of model providers are for OpenCode alone. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The program to run unless a session names another: a path, or a name on the PATH. */
  readonly bin?: string | undefined;
  /** How a server is reached from here, where not by the address it listens on. */
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
];

/** OpenCode, one server per project. `OpenCodeOptions` are its options. */
export function opencodeAdapter(options: OpenCodeAdapterOptions): Adapter {
  const { runtimesDir, env, bin } = options;
  const context = { ...options, servers: new Servers() };
  return {
    name: "opencode",
    displayName: "OpenCode",
    capabilities,
    accountVariable: "XDG_DATA_HOME", // its logins are in opencode/auth.json there
    testedWith: opencodePackage.version,
    programsFor: opencodePrograms,
    projectSettings: opencodeProjectSettings,
    probe: () => probeOpenCode({ env, runtimesDir, bin }),
    signIn: "set the key of the provider, such as ANTHROPIC_API_KEY, or run `opencode auth login`",
    isSignedIn: () => isSignedIn(env),
    checkOptions: (options) => void mcpServersOf({ options }),
    findProcess: findSharedProcess,
    createMapper,
    connect: (request) => connect(request, context),
    forget: (session) => forget(session, context),
  };
}
