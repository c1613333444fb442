import type { Adapter } from "../../contracts/adapter.ts";
import { probeProgram } from "../../programs/program.ts";
import { droidPackage } from "../versions.ts";
import { droidConversation } from "./files/conversation.ts";
import { droidPrograms, droidSearch } from "./find.ts";
import { readOptions } from "./options.ts";
import { droidProjectSettings } from "./project-settings.ts";

export interface DroidAdapterOptions {
  /**
   * The environment of this process. Droid and its tools receive only the allow-listed variables. Without a model
   * endpoint, Droid also receives Factory's variables and the variables that the user's Droid settings reference.
   */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The directory in which `halyard runtime install` installs runtimes. */
  readonly runtimesDir: string;
  /** The default program: a path, or a name on the PATH. A session can override it. */
  readonly bin?: string | undefined;
}

/** Creates the Factory Droid adapter. Each session has its own `droid exec` process. */
export function droidAdapter({ env, runtimesDir, bin }: DroidAdapterOptions): Adapter {
  return {
    name: "droid",
    displayName: "Factory Droid",
    inputs: ["stdin"],
    inputAliases: { rpc: "stdin" }, // JSON-RPC messages are written to standard input
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
      "images",
      "fork",
      "native-sessions",
    ],
    testedWith: droidPackage.version,
    programsFor: droidPrograms,
    projectSettings: droidProjectSettings,
    probe: () => probeProgram(droidSearch({ env, runtimesDir, bin })),
    // Does not name the program's own login, because `modelSource` does not accept it.
    signIn: "set FACTORY_API_KEY, or set a model endpoint",
    isSignedIn: async () => Boolean(env.FACTORY_API_KEY),
    checkOptions: (options) => void readOptions({ options }),
    async nativeSessions(request) {
      const { listUserRecords } = await import("../../adapter-kit/records/user-records.ts");
      const { droidRecords } = await import("./files/native-sessions.ts");
      return listUserRecords(droidRecords({ ...env, ...request.env }), request);
    },
    conversation: droidConversation,
    async createMapper() {
      const { createMapper } = await import("./events/events.ts");
      return createMapper();
    },
    async connect(request) {
      const { connectDroid } = await import("./connect.ts");
      return connectDroid(request, { env, runtimesDir, bin });
    },
  };
}
