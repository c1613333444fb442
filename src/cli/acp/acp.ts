import type { AcpContext } from "../../acp/context.ts";
import { serveAcp } from "../../acp/serve.ts";
import { homeDirectory } from "../../config/paths.ts";
import type { Halyard } from "../../contracts/halyard.ts";
import { findDaemon } from "../../daemon/find.ts";
import { type Console, openConsole } from "../console/console.ts";
import { ensureAcpSdk } from "../install/acp-sdk.ts";
import { requireRuntime } from "../known-runtime.ts";
import { openDaemon } from "../open-daemon.ts";
import { openHalyard } from "../open-halyard.ts";
import { readResumeOptions, readStartRequest, type SessionFlags } from "../start-request.ts";
import { loadSessionConfig } from "../trust/session-config.ts";
import { readVersion } from "../version.ts";
import { namedModels } from "./named-models.ts";

export interface AcpFlags extends Omit<SessionFlags, "cwd" | "project" | "name" | "raw"> {
  /** True to run sessions in the daemon, false to run them in this process. Defaults to true if a daemon is running. */
  readonly daemon?: boolean;
  readonly install?: boolean;
}

export async function acp({ daemon, install = false, ...flags }: AcpFlags): Promise<number> {
  const console = openConsole();
  const sdk = await ensureAcpSdk(console);
  if (install) return 0;
  const home = homeDirectory(console.env);
  const inDaemon = daemon ?? (await findDaemon(home)) !== undefined;
  await using halyard = inDaemon
    ? await openDaemon(console)
    : await openHalyard(console, { isReachable: true });
  const context = await openContext(halyard, flags, console);
  // An editor may stop its agent with a signal instead of closing the pipe.
  const hangUp = () => void console.input.destroy();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, hangUp);
  const stream = { input: console.input, output: process.stdout, version: readVersion() };
  await serveAcp(sdk, { ...context, continuesTurns: inDaemon }, stream);
  return 0;
}

async function openContext(
  halyard: Halyard,
  flags: SessionFlags,
  console: Console,
): Promise<AcpContext> {
  const { env, err } = console;
  // A resumed session keeps its own policy and reasoning level, which the editor can change.
  const { permissions, reasoning, ...modelFlags } = flags;
  const config = await loadSessionConfig({ cwd: process.cwd() }, console);
  if (flags.runtime !== undefined) await requireRuntime(flags.runtime, config, env);
  return {
    halyard,
    ...(permissions !== undefined && { limit: permissions }),
    startRequest: (cwd) => readStartRequest({ ...flags, cwd }, console),
    resumeOptions: (info) => readResumeOptions(modelFlags, info, console),
    models: namedModels(config),
    log: (line) => void err.write(`${line}\n`).catch(() => {}), // the sink drops text if stderr is closed
  };
}
