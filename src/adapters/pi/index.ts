import { copyStateFiles } from "../../adapter-kit/records/state-files.ts";
import type { Adapter } from "../../contracts/adapter.ts";
import type { Capability } from "../../schema/runtime.ts";
import { embeddedPiPackage, piPackage } from "../versions.ts";
import { probePi } from "./find.ts";
import { isSignedIn } from "./model/sign-in.ts";
import { piProjectSettings } from "./project-settings.ts";

/** Options for the Pi adapter. */
export interface PiAdapterOptions {
  /** `sdk` runs Pi in this process, `rpc` in a separate process. Defaults to `sdk`, or to `rpc` if `bin` is set. */
  readonly mode?: "sdk" | "rpc";
  /**
   * The directory that `halyard runtime install` writes to. Used if Pi is installed neither beside Halyard nor on the
   * PATH.
   */
  readonly runtimesDir: string;
  /** The environment of this process. Pi and its tools receive a part of it; only Pi receives model keys. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The executable to run instead of the installed Pi: a path, or a name on the PATH. */
  readonly bin?: string | undefined;
}

const capabilities: readonly Capability[] = [
  "deltas",
  "reasoning",
  "tools",
  "usage",
  "cancel",
  "steer",
  "permissions",
  "plan",
  "resume",
  "endpoints",
  "tool-lists",
  "settings",
  "images",
  "fork",
  "compact",
  "models",
  "native-sessions",
];

/**
 * Creates the Pi adapter. Pi runs in this process through its SDK, or as `pi --mode rpc`. Pi is loaded on first use.
 */
export function piAdapter(options: PiAdapterOptions): Adapter {
  const { runtimesDir, env, bin } = options;
  const { mode = bin === undefined ? "sdk" : "rpc" } = options;
  return {
    name: "pi",
    displayName: "Pi",
    capabilities: mode === "rpc" ? [...capabilities, "attach"] : capabilities,
    inputs: [mode === "rpc" ? "stdin" : "rpc"],
    ...(mode === "rpc" && { inputAliases: { rpc: "stdin" } }), // Pi's RPC mode reads stdin
    accountVariable: "PI_CODING_AGENT_DIR",
    testedWith: (mode === "sdk" ? embeddedPiPackage : piPackage).version,
    programsFor: () => [".bin/pi"], // Pi is a Node script, which is the same on every platform
    projectSettings: piProjectSettings(mode),
    builtInTools: ["bash", "edit", "find", "grep", "ls", "read", "write"],
    probe: () => probePi({ runtimesDir, env, bin }),
    signIn: 'set ANTHROPIC_API_KEY or the key of another provider, or run "pi" and type /login',
    isSignedIn: () => isSignedIn(env),
    async models(host) {
      const { listModels } = await import("./model/list-models.ts");
      return listModels(mode, host, { runtimesDir, env, bin });
    },
    async nativeSessions(request) {
      const { listUserRecords } = await import("../../adapter-kit/records/user-records.ts");
      const { piRecords } = await import("./native-sessions.ts");
      return listUserRecords(piRecords({ ...env, ...request.env }), request);
    },
    conversation: copyStateFiles({
      directory: "pi",
      hasCwd: true,
      isRecord: (path, id) => path.endsWith(`_${id}.jsonl`),
    }),
    async createMapper() {
      const { createMapper } = await import("./events/events.ts");
      return createMapper();
    },
    async connect(request) {
      if (mode === "sdk") {
        const { connectSdk } = await import("./sdk/sdk.ts");
        return connectSdk(request, { runtimesDir, env });
      }
      const { connectRpc } = await import("./rpc/rpc.ts");
      return connectRpc(request, { runtimesDir, env, bin });
    },
  };
}
