import { z } from "zod";
import { askProgram } from "../../../adapter-kit/asked-program.ts";
import type { Host } from "../../../contracts/host.ts";
import { allowedEnvironment } from "../../../programs/environment.ts";
import type { ModelInfo } from "../../../schema/runtimes/model-info.ts";
import { userAgentDir } from "../agent-dir.ts";
import { findPi, type PiPaths } from "../find.ts";
import { loadPi } from "../sdk/load.ts";
import { sdkModel } from "../sdk/model.ts";
import { notSignedIn } from "./model.ts";
import { keysIn } from "./provider-keys.ts";

const Models = z.array(
  z.looseObject({
    provider: z.string(),
    id: z.string(),
    name: z.string().catch(""),
    contextWindow: z.number().int().positive().optional().catch(undefined),
  }),
);

const Reply = z.looseObject({
  type: z.literal("response"),
  command: z.literal("get_available_models"),
  data: z.looseObject({ models: Models }),
});

/**
 * Lists the models of the providers that the user has set up, as `provider/model`. Throws `not_signed_in` if there are
 * none.
 */
export async function listModels(
  mode: "sdk" | "rpc",
  host: Host,
  paths: PiPaths,
): Promise<ModelInfo[]> {
  const models = await (mode === "sdk" ? embedded(paths) : ofProgram(host, paths));
  if (models.length === 0) throw notSignedIn();
  return models.map(({ provider, id, name, contextWindow }) => ({
    id: `${provider}/${id}`,
    ...(name !== "" && name !== id && { name }),
    ...(contextWindow !== undefined && { contextTokens: contextWindow }),
  }));
}

async function embedded({ env, ...paths }: PiPaths): Promise<z.infer<typeof Models>> {
  const sdk = await loadPi({ env, ...paths });
  const options = { agentDir: userAgentDir(env), reasoning: undefined, provider: undefined, env };
  const { registry } = sdkModel(sdk, { kind: "own", id: undefined }, options);
  return Models.parse(registry.getAvailable());
}

function ofProgram(host: Host, paths: PiPaths): Promise<z.infer<typeof Models>> {
  const { env } = paths;
  return askProgram({
    runtime: "pi",
    host,
    async prepare(cwd) {
      const { program, node } = await findPi(paths);
      const args = ["--mode", "rpc", "--offline", "--no-session", "--no-extensions"];
      const own = { ...keysIn(env), PI_CODING_AGENT_DIR: userAgentDir(env), PI_OFFLINE: "1" };
      const all = allowedEnvironment(env, own);
      if (node === undefined) return { file: program, args, cwd, env: all };
      return { file: node, args: [program, ...args], cwd, env: all };
    },
    async ask({ request }) {
      const isReply = (message: unknown) => Reply.safeParse(message).success;
      const reply = await request({ id: "models", type: "get_available_models" }, isReply);
      return Reply.parse(reply).data.models;
    },
  });
}
