import { copyStateFiles } from "../../adapter-kit/records/state-files.ts";
import { PRIME } from "../../compat/gas-town/files/names.ts";
import type { Adapter } from "../../contracts/adapter.ts";
import { probeProgram } from "../../programs/program.ts";
import type { Capability } from "../../schema/runtime.ts";
import { codexPackage } from "../versions.ts";
import { codexPrograms, codexSearch } from "./find.ts";
import { isSignedIn } from "./model.ts";
import { codexProjectSettings } from "./project-settings.ts";
import { onScreen } from "./screen/index.ts";
import { readOptions } from "./thread.ts";

/** Options for the Codex adapter. */
export interface CodexAdapterOptions {
  /** The directory that `halyard runtime install` writes to. Used if the user's Codex is missing or too old. */
  readonly runtimesDir: string;
  /** The environment of this process. Codex and its tools receive a part of it; only Codex receives model keys. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The default executable: a path, or a name on the PATH. A session can override it. */
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
  "images",
  "fork",
  "compact",
  "commands",
  "models",
  "structured-output",
  "native-sessions",
];

/** Creates the Codex adapter. Each session has its own `codex app-server`. */
export function codexAdapter({ env, runtimesDir, bin }: CodexAdapterOptions): Adapter {
  const plain: Adapter = {
    name: "codex",
    displayName: "Codex",
    capabilities,
    inputs: ["stdin", "rpc"],
    inputAliases: { rpc: "stdin" }, // both input methods use JSON-RPC
    accountVariable: "CODEX_HOME",
    bootstrap: PRIME,
    testedWith: codexPackage.version,
    programsFor: codexPrograms,
    projectSettings: codexProjectSettings,
    probe: () => probeProgram(codexSearch({ env, runtimesDir, bin })),
    signIn: 'set OPENAI_API_KEY, or run "codex login"',
    isSignedIn: () => isSignedIn(env),
    checkOptions: (options) => void readOptions({ options }),
    async compareSchema() {
      const [{ compareNames }, { schemaNames }, { testedSchema }] = await Promise.all([
        import("../../adapter-kit/schema-names.ts"),
        import("./own-schema.ts"),
        import("./tested-schema.ts"),
      ]);
      return compareNames(testedSchema, await schemaNames({ env, runtimesDir, bin }));
    },
    async models(host) {
      const { listModels } = await import("./models.ts");
      return listModels(host, { env, runtimesDir, bin });
    },
    async nativeSessions(request) {
      const { listUserRecords } = await import("../../adapter-kit/records/user-records.ts");
      const { codexRecords } = await import("./native-sessions.ts");
      return listUserRecords(codexRecords({ ...env, ...request.env }), request);
    },
    conversation: copyStateFiles({
      directory: "codex/sessions",
      isRecord: (path, id) => path.endsWith(`-${id}.jsonl`),
    }),
    async createMapper() {
      const { createMapper } = await import("./events/events.ts");
      return createMapper();
    },
    async connect(request) {
      const { connectCodex } = await import("./connect.ts");
      return connectCodex(request, { env, runtimesDir, bin });
    },
  };
  return { ...plain, onScreen: onScreen(plain, { env, runtimesDir, bin }) };
}
