import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { homeDirectory } from "../../config/paths.ts";
import { exitCodeOf } from "../../core/error.ts";
import { startScriptedModel } from "../../testing/scripted-model.ts";
import type { Format } from "../choices.ts";
import { DEMO_FILE, DEMO_PROMPT, demoScript } from "../demo-script.ts";
import { ensurePi, ensureScriptedModel } from "../install/demo-packages.ts";
import { openInterrupts } from "../interrupts.ts";
import { openHalyard } from "../open-halyard.ts";
import { whileSpinning } from "../output/spinner.ts";
import { tilde } from "../output/words.ts";
import { playTurn } from "../play-turn.ts";
import { openTerminal, type Terminal } from "../terminal.ts";

export interface DemoOptions {
  readonly format: Format;
}

export async function demo({ format }: DemoOptions): Promise<number> {
  const terminal = openTerminal();
  const tell = async (text: string): Promise<void> => {
    if (format === "text") await terminal.out.write(text);
  };
  await using halyard = await openHalyard(terminal);
  await ensurePi(halyard, terminal);
  const aimock = await ensureScriptedModel(terminal);
  using interrupts = openInterrupts(terminal);
  const cwd = await freshWorkspace(terminal);
  await using model = await startScriptedModel(demoScript, { aimock });
  await tell(introduction(cwd, terminal));
  const start = () =>
    halyard.start({
      runtime: "pi",
      cwd,
      model: model.endpoint("anthropic"),
      permissions: "allow-all",
      attended: false,
      name: "demo",
    });
  await using session = await whileSpinning("starting Pi", start, terminal, format);
  const outcome = await playTurn(session, DEMO_PROMPT, terminal, { format, interrupts });
  if (outcome.status === "completed") await tell(await conclusion(cwd, session.id, terminal));
  return exitCodeOf(outcome);
}

/** The same place every time, so that demos do not pile up and what one made can be looked at afterwards. */
async function freshWorkspace({ env }: Terminal): Promise<string> {
  const cwd = join(homeDirectory(env), "demo");
  await rm(cwd, { recursive: true, force: true });
  await mkdir(cwd, { recursive: true });
  return cwd;
}

function introduction(cwd: string, { out: { colors } }: Terminal): string {
  return [
    `${colors.bold("Pi, a real coding agent, at work in")} ${tilde(cwd)}`,
    colors.dim(
      "Its model is a script on this machine (127.0.0.1): no key, no account, no network.",
    ),
    colors.dim("The agent, its tools and the file it writes are real."),
    "",
    colors.bold(`› ${DEMO_PROMPT}`),
    "",
    "",
  ].join("\n");
}

async function conclusion(cwd: string, id: string, { out: { colors } }: Terminal): Promise<string> {
  const file = join(cwd, DEMO_FILE);
  const content = (await readFile(file, "utf8")).trimEnd().split("\n");
  return [
    "",
    `It made ${colors.bold(tilde(file))}:`,
    ...content.map((line) => `  ${colors.green(line)}`),
    "",
    "What to type next:",
    `  halyard events ${id}   ${colors.dim("what happened, from the log")}`,
    `  halyard sessions                      ${colors.dim("all sessions, this one too")}`,
    `  halyard run "…"                       ${colors.dim("the same with a real model, once its key is there:")}`,
    `                                        ${colors.dim("export ANTHROPIC_API_KEY=…  (or OPENAI_API_KEY)")}`,
    "",
  ].join("\n");
}
