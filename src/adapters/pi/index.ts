import type { Adapter } from "../../core/adapter.ts";
import type { Capability } from "../../schema/runtime.ts";
import { piPackage } from "../versions.ts";
import { createMapper } from "./events.ts";
import { probePi } from "./load.ts";
import { isSignedIn } from "./sign-in.ts";

export interface PiAdapterOptions {
  /** In this process (`sdk`, unless said otherwise), or as a process that outlives it (`rpc`). */
  readonly mode?: "sdk" | "rpc";
  /** Where `halyard runtime install` puts runtimes, for when Pi is not installed beside us. */
  readonly runtimesDir: string;
  /** What Pi and its tools may be told of the machine; the keys of model providers are for Pi alone. */
  readonly env: Readonly<Record<string, string | undefined>>;
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
];

/** Pi, in process through its SDK or as `pi --mode rpc`. Loaded only when it is used. */
export function piAdapter({ mode = "sdk", runtimesDir, env }: PiAdapterOptions): Adapter {
  return {
    name: "pi",
    displayName: "Pi",
    capabilities: mode === "rpc" ? [...capabilities, "attach"] : capabilities,
    testedWith: piPackage.version,
    probe: () => probePi(runtimesDir),
    isSignedIn: () => isSignedIn(env),
    createMapper,
    async connect(request) {
      if (mode === "sdk") {
        const { connectSdk } = await import("./sdk.ts");
        return connectSdk(request, { runtimesDir, env });
      }
      const { connectRpc } = await import("./rpc.ts");
      return connectRpc(request, { runtimesDir, env });
    },
  };
}
