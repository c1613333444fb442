import { type Command, Option } from "commander";
import { examples } from "../../../cli/examples.ts";
import { addModelOptions, listFormatOption } from "../../../cli/options.ts";
import { addRuntimeDoctor, addRuntimeList } from "../../../cli/runtime/command.ts";
import type { GtOptions } from "./gt.ts";
import type { GtAgentOptions } from "./gt-agent.ts";
import type { GtPresetOptions } from "./gt-preset.ts";
import type { GtVerb } from "./role.ts";

const verbs: readonly (readonly [GtVerb, string])[] = [
  ["start", "Start the town's mayor"],
  ["sling", "Assign a bead to a polecat"],
  ["crew", "Start a crew member"],
  ["polecat", "Start a polecat"],
  ["witness", "Start a rig's witness"],
  ["refinery", "Start a rig's refinery"],
];

export function addGt(program: Command): void {
  const gt = program
    .command("gt")
    .description("Start Gas Town sessions, with gt itself if it is on the PATH");
  for (const [verb, description] of verbs) addVerb(gt, verb, description);
  addRuntimes(gt);
  addPreset(gt);
  addAgent(gt);
}

function addPreset(gt: Command): void {
  gt.command("preset")
    .description("Print Halyard's entry for gt's settings/agents.json")
    .option(
      "-r, --runtime <name>",
      "runtime that Halyard runs (default: from the rig or the registry)",
    )
    .option(
      "--write <file>",
      "add the entry to this settings/agents.json and keep the other entries",
    )
    .addHelpText(
      "after",
      examples([
        [
          "halyard gt preset --runtime droid --write ~/gt/settings/agents.json",
          'add the entry, then run "gt sling gp-123 greenplace --agent halyard-droid"',
        ],
      ]),
    )
    .action(async (options: GtPresetOptions) => {
      const { gtPreset } = await import("./gt-preset.ts");
      process.exitCode = await gtPreset(options);
    });
}

function addAgent(gt: Command): void {
  const agent = gt
    .command("agent")
    .description("Run an agent in a Gas Town pane (the preset runs this command)")
    .argument("[prompt]", "first message")
    .option("-r, --runtime <name>", "runtime (default: from the rig or the registry)")
    .option("--resume <session>", "session to resume");
  addModelOptions(agent).action(async (prompt: string | undefined, options: GtAgentOptions) => {
    const { gtAgent } = await import("./gt-agent.ts");
    process.exitCode = await gtAgent(prompt, options);
  });
}

function addVerb(gt: Command, verb: GtVerb, description: string): void {
  const command = gt
    .command(verb)
    .description(description)
    .argument("[args...]", "arguments, as gt accepts them")
    .allowUnknownOption();
  addModelOptions(command)
    .option("-r, --runtime <name>", "runtime (default: from the rig or the registry)")
    .option("-C, --cwd <directory>", "working directory of the agent (default: current)")
    .addOption(new Option("--agent <name>", "the same as --runtime").hideHelp())
    .option("--rig <rig>", "rig of the session")
    .option("--account <directory>", "account directory that the agent signs in with")
    .option("--prompt <text>", "first message")
    .option("--tmux", "run in a tmux pane")
    .option("--no-gt", "do not use gt, even if it is on the PATH")
    .addOption(listFormatOption())
    .addHelpText(
      "after",
      examples([
        [
          "halyard gt sling gp-123 greenplace/ivy --runtime codex",
          "assign a bead to a polecat on Codex",
        ],
        [
          "halyard gt witness greenplace --runtime droid",
          "start an agent that gt has no preset for",
        ],
      ]),
    )
    .action(async (args: string[], options: Omit<GtOptions, "given">) => {
      const { gt } = await import("./gt.ts");
      process.exitCode = await gt(verb, args, { ...options, given: givenOptions(command) });
    });
}

/** Returns the options on the command line, by their long names. */
function givenOptions(command: Command): string[] {
  return command.options
    .filter((option) => command.getOptionValueSource(option.attributeName()) === "cli")
    .map(({ long, flags }) => long ?? flags);
}

/** Adds `runtime list`, `runtime doctor` and `runtime set default`, which changes Gas Town's registry. */
function addRuntimes(gt: Command): void {
  const runtime = gt.command("runtime").description("List, choose and check the town's runtimes");
  addRuntimeList(runtime);
  addRuntimeDoctor(runtime);
  runtime
    .command("set")
    .description("Set the town's default runtime")
    .command("default")
    .description("Make a runtime the default in ~/.gastown/runtimes.json")
    .argument("<name>", "runtime")
    .addHelpText(
      "after",
      examples([["halyard gt runtime set default codex", "use Codex for the town's new sessions"]]),
    )
    .action(async (name: string) => {
      const { runtimeSetDefault } = await import("../../../cli/runtime/runtime-set-default.ts");
      process.exitCode = await runtimeSetDefault(name, { inRegistry: true });
    });
}
