import type { ConnectRequest } from "../../core/adapter.ts";
import { findRunning } from "../../core/find-running.ts";
import type { HostProcess } from "../../core/host.ts";
import { findProgram } from "../../core/program.ts";
import { userAgentDir } from "./agent-dir.ts";
import { hiddenVariables, toCommand } from "./command.ts";
import { extensionSource } from "./extension.ts";
import { findPi } from "./load.ts";
import { modelSource } from "./model.ts";
import { ownProgram } from "./own-program.ts";
import { rulesFor } from "./policy.ts";
import { rpcFilesOf, writeRpcFiles } from "./rpc-files.ts";
import { sessionFileFor } from "./session-file.ts";

export interface RpcOptions {
  readonly runtimesDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** In place of the Pi that is installed. */
  readonly bin?: string | undefined;
}

/** A process of Pi's: the one that runs already, or a new one with its own configuration in `runDir`. */
export async function startRpc(
  request: ConnectRequest,
  { runtimesDir, env, bin }: RpcOptions,
): Promise<HostProcess> {
  const { host, runDir, reasoning } = request;
  if (request.attach !== undefined) return findRunning(request, "Pi");
  const runsItself = bin !== undefined;
  const program = runsItself
    ? (await findProgram(ownProgram(bin, env))).file
    : (await findPi(runtimesDir)).program;
  const files = rpcFilesOf(request);
  const all = { ...env, ...request.env };
  const source = modelSource(request.model, all);
  const sessionFile = await sessionFileFor(request);
  await writeRpcFiles(files, {
    source,
    reasoning,
    userDir: userAgentDir(all),
    extensionSource: extensionSource({
      hidden: hiddenVariables(request, { source, env }),
      rulesFile: files.rules,
    }),
    rules: await rulesFor(request, { PATH: all.PATH, agentDir: files.agentDir }),
  });
  const command = toCommand(request, { program, runsItself, source, files, sessionFile, env });
  return host.spawn(command, { runDir });
}
