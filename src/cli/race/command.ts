import { type Command, InvalidArgumentError } from "commander";
import { examples } from "../examples.ts";
import {
  addModelOptions,
  addSessionOptions,
  listFormatOption,
  toLimit,
  toSeconds,
} from "../options.ts";
import type { RaceCommandOptions } from "./race.ts";

export function addRace(program: Command): void {
  const command = program
    .command("race")
    .description(
      "Give the same task to several agents, each in a git worktree, and rank the results",
    )
    .argument("<prompt>", 'task; piped input is appended, and "-" reads only standard input')
    .requiredOption(
      "-r, --runtime <name>",
      "runtime that competes; repeat the option for each runtime",
      addRuntime,
    )
    .option("--check <command>", "shell command that must pass in each worktree, such as npm test")
    .option(
      "--check-timeout <seconds>",
      "time limit for the check in each worktree",
      toSeconds,
      600,
    )
    .option(
      "-j, --concurrency <count>",
      "maximum number of agents that run at the same time (default: all)",
      toLimit,
    )
    .option("-C, --cwd <directory>", "directory of the repository (default: current)")
    .option("--base <commit>", "commit at which the worktrees start (default: HEAD)");
  addSessionOptions(addModelOptions(command))
    .addOption(listFormatOption())
    .addHelpText(
      "after",
      `
The daemon runs the check in a shell, in the worktree of each agent whose turn completed, without your keys. The check
runs code that the agents wrote. An agent wins only if its turn completed, it changed files and the check passed. Results are
ranked by the check, then by the size of the diff, then by cost. Exits with 0 if there is a winner, otherwise with 1.
${examples([
  [
    'halyard race -r claude -r codex --check "npm test" -p allow-all "Fix #12"',
    "see which agent passes the tests",
  ],
  ["halyard adopt ses_k3", "apply the winner's changes to your working tree"],
  ["halyard worktree prune --park", "remove the worktrees and keep their branches"],
])}`,
    )
    .action(async (prompt: string, options: RaceCommandOptions) => {
      const { runRace } = await import("./race.ts");
      process.exitCode = await runRace(prompt, options);
    });
}

function addRuntime(name: string, names: readonly string[] = []): string[] {
  if (names.includes(name))
    throw new InvalidArgumentError(`${name} is already in the race. Pass each runtime once.`);
  return [...names, name];
}
