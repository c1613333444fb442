import { resolve } from "node:path";
import { type Console, openConsole, warn } from "../../../cli/console/console.ts";
import { openDaemon } from "../../../cli/open-daemon.ts";
import { readStartRequest, type SessionFlags } from "../../../cli/start-request.ts";
import { loadSessionConfig } from "../../../cli/trust/session-config.ts";
import { resolveRuntime } from "../../../config/resolve-runtime.ts";
import { HalyardError } from "../../../errors/error.ts";
import { createAgentRuntime } from "../index.ts";
import { findGt, hasPreset, runGt } from "./gt-program.ts";
import { type GtVerb, roleEnvironment } from "./role.ts";

export interface GtOptions extends SessionFlags {
  readonly format: "text" | "json";
  readonly agent?: string;
  readonly rig?: string;
  readonly account?: string;
  readonly prompt?: string;
  readonly tmux?: boolean;
  /** False with --no-gt. */
  readonly gt: boolean;
  /** The options that were given, by their long names. */
  readonly given: readonly string[];
}

/**
 * Starts a session for a role in the town, with gt if gt is on the PATH. Halyard starts the session if gt is missing, if
 * gt has no preset for the chosen runtime, or with `--no-gt`.
 */
export async function gt(
  verb: GtVerb,
  args: readonly string[],
  options: GtOptions,
): Promise<number> {
  const console = openConsole();
  const { env } = console;
  const cwd = resolve(options.cwd ?? ".");
  const requested = options.runtime ?? options.agent;
  const config = await loadSessionConfig({ cwd }, console);
  const { runtime, source } = resolveRuntime(
    config,
    requested === undefined ? {} : { runtime: requested },
  );
  const program = options.gt ? await findGt(env) : undefined;
  const isChosen = source !== "built-in";
  if (program !== undefined && (!isChosen || (await hasPreset(program, runtime, env)))) {
    rejectUnsupported(options.given);
    const preset = isChosen ? ["--agent", runtime] : [];
    const rig = options.rig === undefined ? [] : ["--rig", options.rig];
    return runGt(program, [verb, ...args, ...rig, ...preset], { env, cwd });
  }
  if (program !== undefined)
    await warn(console, [`gt has no preset for ${runtime}. Halyard starts the session instead.`]);
  const role = roleEnvironment({ verb, args, ...options });
  return startWithHalyard(role, options, console);
}

/** Throws for options that gt does not support, because gt would ignore them and start a different session. */
function rejectUnsupported(given: readonly string[]): void {
  const unsupported = given.filter((flag) => !supported.has(flag));
  if (unsupported.length === 0) return;
  throw new HalyardError(
    "invalid_input",
    `gt starts this session and does not support ${unsupported.join(", ")}. Remove these options, or add --no-gt to start the session with Halyard.`,
  );
}

const supported: ReadonlySet<string> = new Set(["--runtime", "--agent", "--rig", "--cwd"]);

async function startWithHalyard(
  role: Readonly<Record<string, string>>,
  options: GtOptions,
  console: Console,
): Promise<number> {
  const { runtime, agent, account, tmux = false, format } = options;
  const named = runtime ?? agent;
  const request = await readStartRequest(
    { ...options, ...(named !== undefined && { runtime: named }) },
    console,
  );
  await using halyard = await openDaemon(console);
  const agents = createAgentRuntime({ halyard });
  const initialPrompt = options.prompt ?? firstPrompt(role);
  const handle = await agents.start({
    workDir: request.cwd,
    env: { ...role },
    ...(tmux && { mode: "tmux" }),
    ...(request.runtime !== undefined && { runtimeName: request.runtime }),
    ...(request.model !== undefined && { model: request.model }),
    ...(request.reasoning !== undefined && { reasoning: request.reasoning }),
    ...(request.permissions !== undefined && { permissions: request.permissions }),
    ...(account !== undefined && { accountDir: resolve(account) }),
    ...(initialPrompt !== undefined && { initialPrompt }),
  });
  const { out } = console;
  await out.write(format === "json" ? `${JSON.stringify(handle)}\n` : `${handle.sessionID}\n`);
  return 0;
}

/** Returns the first prompt for a session with a bead. Other sessions wait for a message. */
function firstPrompt({ GT_BEAD: bead }: Readonly<Record<string, string>>): string | undefined {
  return bead === undefined ? undefined : `The bead ${bead} is yours. Work on it until it is done.`;
}
