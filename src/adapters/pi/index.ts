import type { Adapter } from "../../contracts/adapter.ts";
import type { Capability } from "../../schema/runtime.ts";
import { embeddedPiPackage, piPackage } from "../versions.ts";
import { probePi } from "./find-pi.ts";
import { piProjectSettings } from "./project-settings.ts";
import { isSignedIn } from "./sign-in.ts";

/** Options of the Pi adapter. */
export interface PiAdapterOptions {
  /** `sdk` runs Pi in this process, `rpc` in a separate one. Defaults to `sdk`, or to `rpc` if `bin` is set. */
  readonly mode?: "sdk" | "rpc";
  /** The directory of `halyard runtime install`, used if Pi is not installed beside Halyard. */
  readonly runtimesDir: string;
  /** Our environment. Pi and its tools receive a part of it; model keys are passed to Pi only. */
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
];

/** Creates the adapter for Pi, in process through its SDK or as `pi --mode rpc`. Pi is loaded on first use. */
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
    programsFor: () => [".bin/pi"], // a Node script, the same on every platform
    projectSettings: piProjectSettings(mode),
    builtInTools: ["bash", "edit", "find", "grep", "ls", "read", "write"],
    probe: () => probePi({ runtimesDir, env, bin }),
    signIn: "set ANTHROPIC_API_KEY or the key of another provider, or run `pi` and type /login",
    isSignedIn: () => isSignedIn(env),
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
