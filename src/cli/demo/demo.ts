import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { homeDirectory } from "../../config/paths.ts";
import { exitCodeOf } from "../../errors/error.ts";
import { startScriptedModel } from "../../testing/scripted-model.ts";
import type { Format } from "../choices.ts";
import { type Console, openConsole } from "../console/console.ts";
import { ensurePi, ensureScriptedModel } from "../install/demo-packages.ts";
import { openHalyard } from "../open-halyard.ts";
import { whileSpinning } from "../output/spinner.ts";
import { openInterrupts } from "../run/interrupts.ts";
import { sendAndPrint } from "../run/send-and-print.ts";
import { abbreviateHome } from "../text/format.ts";
import { DEMO_FILE, DEMO_PROMPT, demoScript } from "./demo-script.ts";

export interface DemoOptions {
  readonly format: Format;
}

export async function demo({ format }: DemoOptions): Promise<number> {
  const console = openConsole();
  const print = async (text: string): Promise<void> => {
    if (format === "text") await console.out.write(text);
  };
  await using halyard = await openHalyard(console);
  await ensurePi(halyard, console);
  const aimock = await ensureScriptedModel(console);
  using interrupts = openInterrupts(console);
  const cwd = await freshWorkspace(console);
  await using model = await startScriptedModel(demoScript, { aimock });
  await print(introduction(cwd, console));
  const start = () =>
    halyard.start({
      runtime: "pi",
      cwd,
      model: model.endpoint("anthropic"),
      permissions: "allow-all",
      attended: false,
      name: "demo",
    });
  await using session = await whileSpinning("starting Pi", start, console, format);
  const outcome = await sendAndPrint(session, DEMO_PROMPT, console, { format, interrupts });
  if (outcome.status === "completed") await print(await conclusion(cwd, session.id, console));
  return exitCodeOf(outcome);
}

/**
 * Empties the demo directory and returns its path. All demos use the same directory, so that old files do not
 * accumulate.
 */
async function freshWorkspace({ env }: Console): Promise<string> {
  const cwd = join(homeDirectory(env), "demo");
  await rm(cwd, { recursive: true, force: true });
  await mkdir(cwd, { recursive: true });
  return cwd;
}

function introduction(cwd: string, { out: { colors } }: Console): string {
  return [
    `${colors.bold("Running Pi, a real coding agent, in")} ${abbreviateHome(cwd)}`,
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

async function conclusion(cwd: string, id: string, { out: { colors } }: Console): Promise<string> {
  const file = join(cwd, DEMO_FILE);
  const content = (await readFile(file, "utf8")).trimEnd().split("\n");
  return [
    "",
    `It wrote ${colors.bold(abbreviateHome(file))}:`,
    ...content.map((line) => `  ${colors.green(line)}`),
    "",
    "Next steps:",
    `  halyard events ${id}   ${colors.dim("show the log of this session")}`,
    `  halyard sessions                      ${colors.dim("list all sessions")}`,
    `  halyard run "…"                       ${colors.dim("run a real model, after you have set its key:")}`,
    `                                        ${colors.dim("export ANTHROPIC_API_KEY=…  (or OPENAI_API_KEY)")}`,
    "",
  ].join("\n");
}
