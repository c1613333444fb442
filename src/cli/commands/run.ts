import { type Command, Option } from "commander";
import type { RunOptions } from "../actions/run.ts";
import { examples } from "../examples.ts";
import {
  addModelOptions,
  addPlaceOptions,
  addSessionOptions,
  formatOption,
  plainOption,
  toSeconds,
} from "../options.ts";

export function addRun(program: Command): void {
  const command = program
    .command("run")
    .description("Give an agent a task and watch it work.")
    .argument("<prompt>", 'the task; piped input is appended, and "-" reads only that');
  addSessionOptions(addModelOptions(addPlaceOptions(command)))
    .addOption(new Option("--agent <name>", "the same as --runtime").hideHelp())
    .option("--plan", "look and plan, but change nothing")
    .addOption(
      new Option(
        "--resume <session>",
        'continue a session: its id, the beginning of it, its name, or "last"',
      ).conflicts(NEW_SESSION_ONLY),
    )
    .addOption(
      new Option(
        "-c, --continue",
        "continue the last session of this directory; the same as --resume last",
      ).conflicts(["resume", ...NEW_SESSION_ONLY]),
    )
    .option("--name <name>", "call the session something")
    .addOption(
      new Option("-d, --detach", "start it in the daemon, print its id and return").conflicts([
        "resume",
        "continue",
        "timeout",
        "record",
      ]),
    )
    .option("-t, --timeout <seconds>", "end the turn after that time", toSeconds)
    .option("--raw", "keep the agent's own messages in the events")
    .option("--record <file>", "keep the agent's own messages in a file, for halyard replay")
    .addOption(formatOption())
    .addOption(plainOption())
    .addHelpText(
      "after",
      examples([
        ['halyard run "Make the tests pass"', "the default agent, in this directory"],
        ['halyard run --permissions allow-edits "Fix the typos in docs/"', "edits without asking"],
        [
          'git diff | halyard run --format quiet "Review this"',
          "piped input, print only the answer",
        ],
        ['halyard run --continue "Now the linter"', "continue the last session of this directory"],
        ['halyard run --resume ses_k3 "Now the linter"', "continue another one"],
        ['halyard run --detach "Add tests"', "in the background, as halyard start does"],
        ['halyard run -r acp --command "goose acp" "Hi"', "any agent that speaks ACP"],
        [
          'halyard run --base-url http://127.0.0.1:8000/v1 --api openai-chat -m qwen "Hi"',
          "a model of your own",
        ],
      ]),
    )
    .action(async (prompt: string, options: RunOptions) => {
      if (options.detach) {
        const { start } = await import("../actions/start.ts");
        const runtime = options.runtime ?? options.agent;
        process.exitCode = await start(prompt, { ...options, ...(runtime && { runtime }) });
        return;
      }
      await import("../parse-rarely.ts");
      const { run } = await import("../actions/run.ts");
      process.exitCode = await run(prompt, options);
    });
}

/** Options that a resumed session already has. */
const NEW_SESSION_ONLY = [
  "runtime",
  "agent",
  "command",
  "cwd",
  "project",
  "host",
  "network",
  "plan",
  "name",
  "label",
  "tools",
  "disableTools",
];
