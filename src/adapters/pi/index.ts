import type { Adapter } from "../../core/adapter.ts";
import { probeProgram } from "../../core/program.ts";
import type { Capability } from "../../schema/runtime.ts";
import { piPackage } from "../versions.ts";
import { probePi } from "./load.ts";
import { ownProgram } from "./own-program.ts";
import { piProjectSettings } from "./project-settings.ts";
import { isSignedIn } from "./sign-in.ts";

export interface PiAdapterOptions {
  /** In this process (`sdk`, unless said otherwise), or as a process that outlives it (`rpc`). */
  readonly mode?: "sdk" | "rpc";
  /** Where `halyard runtime install` puts runtimes, for when Pi is not installed beside us. */
  readonly runtimesDir: string;
  /** What Pi and its tools may be told of the machine; the keys of model providers are for Pi alone. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A Pi to run in place of the one that is installed, as a process: a path, or a name on the PATH. */
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
];

/** Pi, in process through its SDK or as `pi --mode rpc`. Loaded only when it is used. */
export function piAdapter(options: PiAdapterOptions): Adapter {
  const { runtimesDir, env, bin } = options;
  const { mode = bin === undefined ? "sdk" : "rpc" } = options;
  return {
    name: "pi",
    displayName: "Pi",
    capabilities: mode === "rpc" ? [...capabilities, "attach"] : capabilities,
    inputs: [mode === "rpc" ? "stdin" : "rpc"],
    accountVariable: "PI_CODING_AGENT_DIR",
    testedWith: piPackage.version,
    programsFor: () => [".bin/pi"], // a script for Node, the same on every machine
    projectSettings: piProjectSettings(mode),
    probe: () => (bin === undefined ? probePi(runtimesDir) : probeProgram(ownProgram(bin, env))),
    signIn: "set ANTHROPIC_API_KEY or the key of another provider, or run `pi` and type /login",
    isSignedIn: () => isSignedIn(env),
    async createMapper() {
      const { createMapper } = await import("./events.ts");
      return createMapper();
    },
    async connect(request) {
      if (mode === "sdk") {
        const { connectSdk } = await import("./sdk.ts");
        return connectSdk(request, { runtimesDir, env });
      }
      const { connectRpc } = await import("./rpc.ts");
      return connectRpc(request, { runtimesDir, env, bin });
    },
  };
}
