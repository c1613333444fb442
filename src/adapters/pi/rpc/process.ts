import { findRunning } from "../../../adapter-kit/find-running.ts";
import type { ConnectRequest } from "../../../contracts/adapter.ts";
import type { HostProcess } from "../../../contracts/host.ts";
import { userAgentDir } from "../agent-dir.ts";
import { hiddenVariables, toCommand } from "../command.ts";
import { extensionSource } from "../extension.ts";
import { findPi, type PiPaths } from "../find.ts";
import { modelSource } from "../model/model.ts";
import { rulesFor } from "../policy.ts";
import { forkFileFor, sessionFileFor } from "../session-file.ts";
import { rpcFilesOf, writeRpcFiles } from "./files.ts";

/** Returns the running Pi process for an attach. Otherwise, writes the session's configuration files and starts Pi. */
export async function startRpc(request: ConnectRequest, paths: PiPaths): Promise<HostProcess> {
  const { host, runDir, reasoning } = request;
  if (request.attach !== undefined) return findRunning(request, "Pi");
  const { env } = paths;
  const pi = await findPi(paths);
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
  const forkFile = await forkFileFor(request, env);
  const command = toCommand(request, { pi, source, files, sessionFile, forkFile, env });
  return host.spawn(command, { runDir });
}
