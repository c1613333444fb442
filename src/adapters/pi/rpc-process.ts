import type { ConnectRequest } from "../../core/adapter.ts";
import { HalyardError } from "../../core/error.ts";
import type { HostProcess } from "../../core/host.ts";
import { userAgentDir } from "./agent-dir.ts";
import { hiddenVariables, toCommand } from "./command.ts";
import { extensionSource } from "./extension.ts";
import { addedInstructions } from "./instructions.ts";
import { findPi } from "./load.ts";
import { modelSource } from "./model.ts";
import { planTools } from "./plan-tools.ts";
import { rpcFilesIn, writeRpcFiles } from "./rpc-files.ts";
import { findSessionFile } from "./session-file.ts";

export interface RpcOptions {
  readonly runtimesDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A process of Pi's: the one that runs already, or a new one with its own configuration in `runDir`. */
export async function startRpc(
  request: ConnectRequest,
  { runtimesDir, env }: RpcOptions,
): Promise<HostProcess> {
  const { host, runDir, stateDir, reasoning, resume } = request;
  if (request.attach !== undefined) {
    const running = await host.attach(runDir);
    if (running === undefined) throw new HalyardError("lost", "Pi is nowhere to be found");
    return running;
  }
  const { program } = await findPi(runtimesDir);
  const files = rpcFilesIn(runDir);
  const all = { ...env, ...request.env };
  const source = modelSource(request.model, all);
  const sessionFile = resume === undefined ? undefined : await findSessionFile(stateDir, resume);
  await writeRpcFiles(files, {
    source,
    reasoning,
    userDir: userAgentDir(all),
    extensionSource: extensionSource({
      hidden: hiddenVariables(request, { source, env }),
      instructions: addedInstructions(request),
      asks: request.permissions !== "allow-all",
    }),
  });
  const tools = request.plan ? await planTools({ ...all, agentDir: files.agentDir }) : undefined;
  const command = toCommand(request, { program, source, files, sessionFile, tools, env });
  return host.spawn(command, { runDir });
}
