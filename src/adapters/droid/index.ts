import type { Adapter } from "../../core/adapter.ts";
import { probeProgram } from "../../core/program.ts";
import { droidPackage } from "../versions.ts";
import { droidPrograms, droidSearch } from "./find.ts";
import { readOptions } from "./options.ts";
import { droidProjectSettings } from "./project-settings.ts";

export interface DroidAdapterOptions {
  /** Ours, of which Droid and its tools get what they may. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where `halyard runtime install` puts runtimes. */
  readonly runtimesDir: string;
  /** The program to run unless a session names another: a path, or a name on the PATH. */
  readonly bin?: string | undefined;
}

/** Factory Droid, as a `droid exec` of its own for every session. */
export function droidAdapter({ env, runtimesDir, bin }: DroidAdapterOptions): Adapter {
  return {
    name: "droid",
    displayName: "Factory Droid",
    inputs: ["stdin"],
    accountVariable: "FACTORY_HOME_OVERRIDE",
    capabilities: [
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
    ],
    testedWith: droidPackage.version,
    programsFor: droidPrograms,
    projectSettings: droidProjectSettings,
    probe: () => probeProgram(droidSearch({ env, runtimesDir, bin })),
    signIn: "set FACTORY_API_KEY, or run `droid` and sign in",
    isSignedIn: async () => Boolean(env.FACTORY_API_KEY),
    checkOptions: (options) => void readOptions({ options }),
    async createMapper() {
      const { createMapper } = await import("./events.ts");
      return createMapper();
    },
    async connect(request) {
      const { connectDroid } = await import("./connect.ts");
      return connectDroid(request, { env, runtimesDir, bin });
    },
  };
}
