import { readFileSync } from "node:fs";
import { styleText } from "node:util";
import { Command, CommanderError } from "commander";
import { addDemo } from "./commands/demo.ts";
import { addEvents } from "./commands/events.ts";
import { addReplay } from "./commands/replay.ts";
import { addRun } from "./commands/run.ts";
import { addRuntime } from "./commands/runtime.ts";
import { addSessions } from "./commands/sessions.ts";
import { examples } from "./examples.ts";

/** Runs the command line; resolves with the exit code. Loads no more than the command needs. */
export async function runProgram(argv: readonly string[]): Promise<number> {
  try {
    await createProgram().parseAsync(argv);
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    if (error instanceof CommanderError && error.code === "commander.help") return USAGE;
    const { reportError } = await import("./report-error.ts");
    return reportError(error, argv);
  }
}

/** The exit code of a command line that makes no sense. */
const USAGE = 2;

function createProgram(): Command {
  const program = new Command("halyard")
    .description("Run any coding agent through one interface.")
    .version(readVersion(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand("help [command]", "print help for a command")
    .exitOverride()
    .configureHelp({
      styleTitle: (text) => styleText("bold", text),
      styleCommandText: (text) => styleText("cyan", text),
      styleOptionText: (text) => styleText("cyan", text),
    })
    .configureOutput({ outputError: () => {} }); // `reportError` tells of it
  addDemo(program);
  addRun(program);
  addSessions(program);
  addEvents(program);
  addReplay(program);
  addRuntime(program);
  return program.addHelpText(
    "after",
    examples([
      ["halyard demo", "see it work, without a key"],
      ['halyard run "Make the tests pass"', "give the default agent a task, here"],
      ["halyard runtime list", "see which agents can run on this machine"],
    ]),
  );
}

function readVersion(): string {
  const file = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const { version } = JSON.parse(file) as { version: string };
  return version;
}
