import { styleText } from "node:util";
import { Command, CommanderError } from "commander";
import { addAcp } from "./commands/acp.ts";
import { addCompletion } from "./commands/completion.ts";
import { addContainer } from "./commands/container.ts";
import { addDaemon } from "./commands/daemon.ts";
import { addDemo } from "./commands/demo.ts";
import { addEvents } from "./commands/events.ts";
import { addGt } from "./commands/gt.ts";
import { addMcp } from "./commands/mcp.ts";
import { addProcesses } from "./commands/processes.ts";
import { addProject } from "./commands/project.ts";
import { addReplay } from "./commands/replay.ts";
import { addRun } from "./commands/run.ts";
import { addRunning } from "./commands/running.ts";
import { addRuntime } from "./commands/runtime.ts";
import { addExplain } from "./commands/runtime-choice.ts";
import { addSend } from "./commands/send.ts";
import { addSessions } from "./commands/sessions.ts";
import { addStart } from "./commands/start.ts";
import { addTrust } from "./commands/trust.ts";
import { addWaiting } from "./commands/waiting.ts";
import { examples } from "./examples.ts";
import { readVersion } from "./version.ts";

/** Runs the command line; resolves with the exit code. Loads no more than the command needs. */
export async function runProgram(argv: readonly string[]): Promise<number> {
  try {
    const program = createProgram();
    const add = givenMost.get(argv[2] ?? "") ?? addAll;
    add(program);
    await program.parseAsync(argv);
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

/** The commands that are given most: who gives one of them does not wait for the others to be described. */
const givenMost = new Map([
  ["run", addRun],
  ["start", addStart],
  ["send", addSend],
  ["sessions", addSessions],
  ["events", addEvents],
]);

function createProgram(): Command {
  return new Command("halyard")
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
}

function addAll(program: Command): void {
  addDemo(program);
  addRun(program);
  addSessions(program);
  addEvents(program);
  addReplay(program);
  addRuntime(program);
  addExplain(program);
  addContainer(program);
  addProject(program);
  addTrust(program);
  addCompletion(program);
  program.commandsGroup("Sessions that go on by themselves:");
  addStart(program);
  addSend(program);
  addRunning(program);
  addWaiting(program);
  addProcesses(program);
  addDaemon(program);
  addMcp(program);
  addAcp(program);
  addGt(program);
  program.addHelpText(
    "after",
    examples([
      ["halyard demo", "see it work, without a key"],
      ['halyard run "Make the tests pass"', "give the default agent a task, here"],
      ['halyard start --name api "Add tests"', "the same in the background; halyard attach api"],
      ["halyard runtime list", "see which agents can run on this machine"],
    ]),
  );
}
