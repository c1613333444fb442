import { join } from "node:path";
import { z } from "zod";
import { type AskedProgram, askProgram } from "../../adapter-kit/asked-program.ts";
import type { Host } from "../../contracts/host.ts";
import { HalyardError } from "../../errors/error.ts";
import { allowedEnvironment } from "../../programs/environment.ts";
import { findProgram, type ProgramPaths } from "../../programs/program.ts";
import type { ModelInfo } from "../../schema/runtimes/model-info.ts";
import { codexSearch } from "./find.ts";
import { writeHome } from "./home/home.ts";
import { findLogin } from "./model.ts";
import { initializeParams } from "./open-thread.ts";

const Models = z.looseObject({
  data: z.array(
    z.looseObject({
      model: z.string(),
      displayName: z.string().catch(""),
      isDefault: z.boolean().catch(false),
    }),
  ),
});

/** Lists the models that the user's login offers. Without a login, lists the models that are built into Codex. */
export async function listModels(
  host: Host,
  { env, runtimesDir, bin }: ProgramPaths,
): Promise<ModelInfo[]> {
  return askProgram({
    runtime: "codex",
    host,
    async prepare(directory) {
      const { file } = await findProgram(codexSearch({ bin, env, runtimesDir }));
      const home = join(directory, "home", "codex");
      await writeHome(home, { source: { kind: "login" }, login: await findLogin(env) });
      const own = { CODEX_HOME: home, CODEX_INTERNAL_APP_SERVER_REMOTE_CONTROL_DISABLED: "1" };
      const args = ["app-server"];
      return { file, args, cwd: directory, env: allowedEnvironment(env, own) };
    },
    async ask(program) {
      await call(program, "initialize", initializeParams);
      await program.write({ method: "initialized" });
      const { data } = Models.parse(await call(program, "model/list", {}));
      return data.map(({ model: id, displayName: name, isDefault }) => ({
        id,
        ...(name !== "" && name !== id && { name }),
        ...(isDefault && { isDefault: true as const }),
      }));
    },
  });
}

const Reply = z.looseObject({
  id: z.string(),
  result: z.unknown(),
  error: z.looseObject({ message: z.string() }).optional(),
});

async function call(program: AskedProgram, method: string, params: unknown): Promise<unknown> {
  const isReply = (message: unknown) => Reply.safeParse(message).data?.id === method;
  const reply = Reply.parse(await program.request({ id: method, method, params }, isReply));
  if (reply.error) {
    const message = `Codex could not list its models (${reply.error.message}). Run "codex login" and try again.`;
    throw new HalyardError("agent_failed", message);
  }
  return reply.result;
}
