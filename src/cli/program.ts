import { styleText } from "node:util";
import { Command, CommanderError } from "commander";
import { addGt } from "../compat/gas-town/cli/command.ts";
import { addAcp } from "./acp/command.ts";
import { addAdopt } from "./adopt/command.ts";
import { addAttach } from "./attach/command.ts";
import { addCluster } from "./cluster/command.ts";
import { addCompletion } from "./completion/command.ts";
import { addContainer } from "./container/command.ts";
import { addConversation } from "./conversation/command.ts";
import { addDaemon } from "./daemon/command.ts";
import { addDemo } from "./demo/command.ts";
import { addDiff } from "./diff/command.ts";
import { addEvents } from "./events/command.ts";
import { examples } from "./examples.ts";
import { addExplain } from "./explain/command.ts";
import { addExport } from "./export/command.ts";
import { addHandoff } from "./handoff/command.ts";
import { findCommand, requireHelpTopic } from "./help-topic.ts";
import { addHost } from "./host/command.ts";
import { addImport } from "./import/command.ts";
import { addLimits } from "./limits/command.ts";
import { addMcp } from "./mcp/command.ts";
import { addModels } from "./models/command.ts";
import { addOpen } from "./open/command.ts";
import { addProcesses } from "./processes/command.ts";
import { addProject } from "./project/command.ts";
import { addPrune } from "./prune/command.ts";
import { addPull } from "./pull/command.ts";
import { addRace } from "./race/command.ts";
import { addReplay } from "./replay/command.ts";
import { addRequests } from "./requests/command.ts";
import { addRewind } from "./rewind/command.ts";
import { addRun } from "./run/command.ts";
import { addRuntime } from "./runtime/command.ts";
import { addSearch } from "./search/command.ts";
import { addSend } from "./send/command.ts";
import { addSessionControl, addSessions } from "./sessions/command.ts";
import { addShare } from "./share/command.ts";
import { addStart } from "./start/command.ts";
import { addTelemetry } from "./telemetry/command.ts";
import { addTrust } from "./trust/command.ts";
import { addUsageCommand } from "./usage/command.ts";
import { readVersion } from "./version.ts";
import { addWait } from "./wait/command.ts";
import { addWorker } from "./worker/command.ts";
import { addWorktree } from "./worktree/command.ts";

/** Runs the command line and returns the exit code. Loads only the files that the command needs. */
export async function runProgram(argv: readonly string[]): Promise<number> {
  const program = createProgram(argv[2]);
  try {
    requireHelpTopic(program, argv);
    await program.parseAsync(argv);
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    if (error instanceof CommanderError && error.code === "commander.help") return USAGE;
    const { reportError } = await import("./report-error.ts");
    return reportError(error, argv, findCommand(program, argv).command);
  }
}

/** The exit code of a malformed command line. */
const USAGE = 2;

/** The most frequent commands. If one of them runs, no other command is declared, so that the program starts faster. */
const frequentCommands = new Map([
  ["run", addRun],
  ["start", addStart],
  ["send", addSend],
  ["sessions", addSessions],
  ["events", addEvents],
]);

/** Declares the program with one frequent command, or with all commands. */
export function createProgram(command = ""): Command {
  const program = new Command("halyard")
    .description("Run any coding agent through one interface")
    .version(readVersion(), "-V, --version", "print the version")
    .option(
      "--cluster <address>",
      "addresses of the cluster's NATS servers, separated by commas (env: HALYARD_CLUSTER)",
      (address) => {
        process.env.HALYARD_CLUSTER = address; // commands read the variable and pass it to the programs that they start
      },
    )
    .helpOption("-h, --help", "print help")
    .helpCommand("help [command]", "print help for a command")
    .exitOverride()
    .configureHelp({
      styleTitle: (text) => styleText("bold", text),
      styleCommandText: (text) => styleText("cyan", text),
      styleOptionText: (text) => styleText("cyan", text),
    })
    .configureOutput({ outputError: () => {} }); // `reportError` writes the error
  const add = frequentCommands.get(command) ?? addAll;
  add(program);
  return program;
}

function addAll(program: Command): void {
  addDemo(program);
  addRun(program);
  addSessions(program);
  addEvents(program);
  addSearch(program);
  addDiff(program);
  addRewind(program);
  addExport(program);
  addImport(program);
  addReplay(program);
  addUsageCommand(program);
  addLimits(program);
  addRuntime(program);
  addModels(program);
  addExplain(program);
  addContainer(program);
  addProject(program);
  addTrust(program);
  addRace(program);
  addAdopt(program);
  addPull(program);
  addWorktree(program);
  addCompletion(program);
  program.commandsGroup("Background sessions and services:");
  addStart(program);
  addSend(program);
  addAttach(program);
  addSessionControl(program);
  addConversation(program);
  addHandoff(program);
  addRequests(program);
  addWait(program);
  addWorker(program);
  addCluster(program);
  addHost(program);
  addProcesses(program);
  addOpen(program);
  addShare(program);
  addPrune(program);
  addTelemetry(program);
  addDaemon(program);
  addMcp(program);
  addAcp(program);
  addGt(program);
  program.addHelpText(
    "after",
    examples([
      ["halyard demo", "see it work without a key"],
      ['halyard run "Make the tests pass"', "run the default agent in this directory"],
      [
        'halyard start --name api "Add tests"',
        'start a session in the background; "halyard attach api" shows it',
      ],
      ["halyard runtime list", "see which agents can run on this machine"],
    ]),
  );
}
