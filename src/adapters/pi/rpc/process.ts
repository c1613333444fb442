import { findRunning } from "../../../adapter-kit/find-running.ts";
import type { ConnectRequest } from "../../../contracts/adapter.ts";
import type { HostProcess } from "../../../contracts/host.ts";
import { findProgram } from "../../../programs/program.ts";
import { userAgentDir } from "../agent-dir.ts";
import { hiddenVariables, toCommand } from "../command.ts";
import { customProgram } from "../custom-program.ts";
import { extensionSource } from "../extension.ts";
import { modelSource } from "../model.ts";
import { rulesFor } from "../policy.ts";
import { findPi } from "../sdk/load.ts";
import { sessionFileFor } from "../session-file.ts";
import { rpcFilesOf, writeRpcFiles } from "./files.ts";

/** Options of a Pi process. */
export interface RpcOptions {
  readonly runtimesDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The executable to run instead of the installed Pi. */
  readonly bin?: string | undefined;
}

/** Returns the running Pi process, or starts one with its own configuration in `runDir`. */
export async function startRpc(
  request: ConnectRequest,
  { runtimesDir, env, bin }: RpcOptions,
): Promise<HostProcess> {
  const { host, runDir, reasoning } = request;
  if (request.attach !== undefined) return findRunning(request, "Pi");
  const runsItself = bin !== undefined;
  const program = runsItself
    ? (await findProgram(customProgram(bin, env))).file
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
