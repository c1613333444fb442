import type { Adapter } from "../../core/adapter.ts";
import { probeProgram } from "../../core/program.ts";
import type { Capability } from "../../schema/runtime.ts";
import { codexPackage } from "../versions.ts";
import { codexPrograms, codexSearch } from "./find.ts";
import { isSignedIn } from "./model.ts";
import { codexProjectSettings } from "./project-settings.ts";
import { onScreen } from "./screen/index.ts";
import { readOptions } from "./thread.ts";

export interface CodexAdapterOptions {
  /** Where `halyard runtime install` puts runtimes, for when the user has no Codex of their own. */
  readonly runtimesDir: string;
  /** What Codex and its tools may be told of the machine; the keys of its model are for Codex alone. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The program to run unless a session names another: a path, or a name on the PATH. */
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
  "questions",
  "plan",
  "resume",
  "attach",
  "endpoints",
  "settings",
  "mcp",
];

/** Codex, as a `codex app-server` of its own for every session. */
export function codexAdapter({ env, runtimesDir, bin }: CodexAdapterOptions): Adapter {
  const plain: Adapter = {
    name: "codex",
    displayName: "Codex",
    capabilities,
    inputs: ["stdin", "rpc"],
    accountVariable: "CODEX_HOME",
    bootstrap: "Run `gt prime` in the shell now, before anything else, and do as it says.",
    testedWith: codexPackage.version,
    programsFor: codexPrograms,
    projectSettings: codexProjectSettings,
    probe: () => probeProgram(codexSearch({ env, runtimesDir, bin })),
    signIn: "set OPENAI_API_KEY, or run `codex login`",
    isSignedIn: () => isSignedIn(env),
    checkOptions: (options) => void readOptions({ options }),
    async createMapper() {
      const { createMapper } = await import("./events.ts");
      return createMapper();
    },
    async connect(request) {
      const { connectCodex } = await import("./connect.ts");
      return connectCodex(request, { env, runtimesDir, bin });
    },
  };
  return { ...plain, onScreen: onScreen(plain, { env, runtimesDir, bin }) };
}
