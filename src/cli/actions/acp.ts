import type { AcpContext } from "../../acp/context.ts";
import { serveAcp } from "../../acp/serve.ts";
import { modelSources } from "../../config/default-model.ts";
import { loadConfig } from "../../config/load.ts";
import { homeDirectory } from "../../config/paths.ts";
import type { Halyard } from "../../core/halyard.ts";
import { findDaemon } from "../../daemon/find.ts";
import { ensureAcpSdk } from "../install/acp-sdk.ts";
import { requireRuntime } from "../known-runtime.ts";
import { openDaemon } from "../open-daemon.ts";
import { openHalyard } from "../open-halyard.ts";
import { readResumeOptions, readStartRequest, type SessionFlags } from "../start-request.ts";
import { openTerminal, type Terminal } from "../terminal.ts";
import { readVersion } from "../version.ts";

export interface AcpOptions extends Omit<SessionFlags, "cwd" | "project" | "name" | "raw"> {
  /** In the daemon, in this process, or where neither is asked for, in a daemon that runs. */
  readonly daemon?: boolean;
  readonly install?: boolean;
}

export async function acp({ daemon, install = false, ...flags }: AcpOptions): Promise<number> {
  const terminal = openTerminal();
  const sdk = await ensureAcpSdk(terminal);
  if (install) return 0;
  const home = homeDirectory(terminal.env);
  const inDaemon = daemon ?? (await findDaemon(home)) !== undefined;
  await using halyard = inDaemon
    ? await openDaemon(terminal)
    : await openHalyard(terminal, { isReachable: true });
  const context = await openContext(halyard, flags, terminal);
  // An editor that ends its agents by a signal means the same as one that hangs up.
  const hangUp = () => void terminal.input.destroy();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, hangUp);
  const line = { input: terminal.input, output: process.stdout, version: readVersion() };
  await serveAcp(sdk, { ...context, turnsGoOn: inDaemon }, line);
  return 0;
}

async function openContext(
  halyard: Halyard,
  flags: SessionFlags,
  terminal: Terminal,
): Promise<AcpContext> {
  const { env, err } = terminal;
  const { permissions, reasoning, ...modelFlags } = flags; // of a new session; later the editor chooses
  const config = await loadConfig({ env, cwd: process.cwd(), home: homeDirectory(env) });
  if (flags.runtime !== undefined) await requireRuntime(flags.runtime, config, env);
  const { models, untrusted } = modelSources(config);
  const named = untrusted === undefined ? Object.entries(models?.models ?? {}) : [];
  return {
    halyard,
    ...(permissions !== undefined && { limit: permissions }),
    startRequest: (cwd) => readStartRequest({ ...flags, cwd }, terminal),
    resumeOptions: (info) => readResumeOptions(modelFlags, info, terminal),
    models: named.map(([name, { model, displayName = name }]) => ({
      id: model,
      name: displayName,
    })),
    log: (line) => void err.write(`${line}\n`).catch(() => {}), // nobody there to tell
  };
}
