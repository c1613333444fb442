import { join } from "node:path";
import { z } from "zod";
import { askProgram } from "../../adapter-kit/asked-program.ts";
import type { Host } from "../../contracts/host.ts";
import type { Environment } from "../../programs/environment.ts";
import type { ModelInfo } from "../../schema/runtimes/model-info.ts";
import { modelsIn } from "./initialized.ts";
import { ownEnvironment } from "./settings/environment.ts";

const Reply = z.looseObject({
  type: z.literal("control_response"),
  response: z.looseObject({ response: z.unknown() }),
});

/** Lists the models that Claude Code offers with the user's own setup. Does not call a model. */
export async function listModels(
  host: Host,
  env: Environment,
  findFile: () => Promise<string>,
): Promise<ModelInfo[]> {
  const stream = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
  return askProgram({
    runtime: "claude",
    host,
    prepare: async (directory) => ({
      file: await findFile(),
      args: ["-p", ...stream],
      cwd: directory,
      env: ownEnvironment(env, { CLAUDE_CODE_TMPDIR: join(directory, "tmp") }),
    }),
    async ask({ request }) {
      const initialize = { subtype: "initialize" };
      const message = { type: "control_request", request_id: "models", request: initialize };
      const reply = await request(message, (one) => Reply.safeParse(one).success);
      return modelsIn(Reply.parse(reply).response.response);
    },
  });
}
