import { type Command, Option } from "commander";
import { examples } from "../examples.ts";
import {
  addAttachmentOptions,
  addModelOptions,
  addRuntimeOptions,
  addSessionOptions,
  addWorktreeOptions,
  formatOption,
  notifyOption,
  plainOption,
  toSeconds,
} from "../options.ts";
import type { RunOptions } from "./run.ts";

export function addRun(program: Command): void {
  const command = program
    .command("run")
    .description("Run an agent on a task and show its work")
    .argument("[prompt]", 'task; piped input is appended, and "-" reads only standard input');
  addAttachmentOptions(
    addWorktreeOptions(
      addSessionOptions(addModelOptions(addRuntimeOptions(command, "; needs --detach"))),
    ),
  )
    .addOption(new Option("--agent <name>", "the same as --runtime").hideHelp())
    .option("--plan", "plan without changing anything")
    .addOption(
      new Option(
        "--resume <session>",
        'resume a session by id, start of an id, name, or "last"',
      ).conflicts(NEW_SESSION_ONLY),
    )
    .addOption(
      new Option(
        "-c, --continue",
        "resume the last session of this directory, as --resume last does",
      ).conflicts(["resume", ...NEW_SESSION_ONLY]),
    )
    .option("--name <name>", "name that commands accept in place of the id")
    .addOption(
      new Option(
        "-d, --detach",
        "start the session in the daemon, print its id and return",
      ).conflicts(["resume", "continue", "timeout", "record"]),
    )
    .option("-t, --timeout <seconds>", "end the turn after this time", toSeconds)
    .addOption(notifyOption())
    .option("--raw", "include the runtime's native messages in events")
    .option(
      "--no-checkpoints",
      'do not record checkpoints, which "halyard diff" and "halyard rewind" need',
    )
    .option(
      "--record <file>",
      'append the runtime\'s native messages to a file that "halyard replay" reads; a resumed session appends to the same file',
    )
    .addOption(formatOption())
    .addOption(plainOption())
    .addHelpText(
      "after",
      examples([
        ['halyard run "Make the tests pass"', "run the default agent in this directory"],
        [
          'halyard run --permissions allow-edits "Fix the typos in docs/"',
          "allow edits without asking",
        ],
        [
          'git diff | halyard run --format quiet "Review this"',
          "review piped input, and print only the answer",
        ],
        [
          'halyard run --image screen.png "Build this page"',
          "attach an image, if the agent accepts images",
        ],
        ['halyard run --continue "Now the linter"', "continue the last session of this directory"],
        ['halyard run --resume ses_k3 "Now the linter"', "continue another session"],
        [
          'halyard run -r codex --from 01a1e "Now the linter"',
          "continue a session that you started in codex itself",
        ],
        ['halyard run --detach "Add tests"', 'run in the background, as "halyard start" does'],
        ['halyard run -r acp --command "goose acp" "Hi"', "run any agent that supports ACP"],
        [
          'halyard run --base-url http://127.0.0.1:8000/v1 --api openai-chat -m qwen "Hi"',
          "use your own model endpoint",
        ],
      ]),
    )
    .action(async (prompt = "", options: RunOptions) => {
      if (options.detach) {
        const { start } = await import("../start/start.ts");
        const runtime = options.runtime ?? options.agent;
        process.exitCode = await start(prompt, { ...options, ...(runtime && { runtime }) });
        return;
      }
      await import("../disable-schema-jit.ts");
      const { run } = await import("./run.ts");
      process.exitCode = await run(prompt, options);
    });
}

/** Options that apply only to new sessions, because a resumed session already has their values. */
const NEW_SESSION_ONLY = [
  "runtime",
  "from",
  "agent",
  "command",
  "url",
  "cwd",
  "on",
  "repo",
  "ref",
  "upload",
  "checkpoints",
  "project",
  "host",
  "network",
  "plan",
  "name",
  "onLimit",
  "budget",
  "label",
  "worktree",
  "branch",
  "base",
  "tools",
  "disableTools",
];
