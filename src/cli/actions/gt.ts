import { resolve } from "node:path";
import { loadConfig } from "../../config/load.ts";
import { homeDirectory } from "../../config/paths.ts";
import { resolveRuntime } from "../../config/resolve-runtime.ts";
import { HalyardError } from "../../core/error.ts";
import { createAgentRuntime } from "../../facades/ari/index.ts";
import { findGt, hasPreset, runGt } from "../gt/gt-program.ts";
import { type GtVerb, roleEnvironment } from "../gt/role.ts";
import { openDaemon } from "../open-daemon.ts";
import { readStartRequest, type SessionFlags } from "../start-request.ts";
import { openTerminal, type Terminal, warn } from "../terminal.ts";

export interface GtOptions extends SessionFlags {
  readonly format: "text" | "json";
  readonly agent?: string;
  readonly rig?: string;
  readonly account?: string;
  readonly prompt?: string;
  readonly tmux?: boolean;
  /** False if Gas Town's own program is not to be used. */
  readonly gt: boolean;
  /** The options of the command line, by their long names. */
  readonly given: readonly string[];
}

/** Starts a session for somebody of the town: by Gas Town's own program where it can run the agent, otherwise here. */
export async function gt(
  verb: GtVerb,
  words: readonly string[],
  options: GtOptions,
): Promise<number> {
  const terminal = openTerminal();
  const { env } = terminal;
  const cwd = resolve(options.cwd ?? ".");
  const asked = options.runtime ?? options.agent;
  const config = await loadConfig({ env, cwd, home: homeDirectory(env) });
  const { runtime, source } = resolveRuntime(config, asked === undefined ? {} : { runtime: asked });
  const program = options.gt ? await findGt(env) : undefined;
  const isChosen = source !== "built-in";
  if (program !== undefined && (!isChosen || (await hasPreset(program, runtime, env)))) {
    refuseForeign(options.given);
    const preset = isChosen ? ["--agent", runtime] : [];
    const rig = options.rig === undefined ? [] : ["--rig", options.rig];
    return runGt(program, [verb, ...words, ...rig, ...preset], { env, cwd });
  }
  if (program !== undefined)
    await warn(terminal, [`gt has no preset for ${runtime}: Halyard runs it itself`]);
  const role = roleEnvironment({ verb, words, ...options });
  return startHere(role, options, terminal);
}

/** `gt` would not get them, and a session without them is not the one that was asked for. */
function refuseForeign(given: readonly string[]): void {
  const foreign = given.filter((flag) => !understood.has(flag));
  if (foreign.length === 0) return;
  throw new HalyardError(
    "invalid_input",
    `gt starts this session, and it has no ${foreign.join(", ")}. Leave out what gt does not have, or add --no-gt to have Halyard start the session itself.`,
  );
}

const understood: ReadonlySet<string> = new Set(["--runtime", "--agent", "--rig", "--cwd"]);

async function startHere(
  role: Readonly<Record<string, string>>,
  options: GtOptions,
  terminal: Terminal,
): Promise<number> {
  const { runtime, agent, account, tmux = false, format } = options;
  const named = runtime ?? agent;
  const request = await readStartRequest(
    { ...options, ...(named !== undefined && { runtime: named }) },
    terminal,
  );
  await using halyard = await openDaemon(terminal);
  const agents = createAgentRuntime({ halyard });
  const initialPrompt = options.prompt ?? firstWords(role);
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
  const { out } = terminal;
  await out.write(format === "json" ? `${JSON.stringify(handle)}\n` : `${handle.sessionID}\n`);
  return 0;
}

/** Who is given a bead is told to begin; the others wait for what they are sent. */
function firstWords({ GT_BEAD: bead }: Readonly<Record<string, string>>): string | undefined {
  return bead === undefined ? undefined : `The bead ${bead} is yours. Work on it until it is done.`;
}
