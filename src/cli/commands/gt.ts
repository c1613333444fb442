import { type Command, Option } from "commander";
import type { GtOptions } from "../actions/gt.ts";
import type { GtAgentOptions } from "../actions/gt-agent.ts";
import type { GtPresetOptions } from "../actions/gt-preset.ts";
import { examples } from "../examples.ts";
import type { GtVerb } from "../gt/role.ts";
import { addModelOptions, listFormatOption } from "../options.ts";
import { addRuntimeDoctor, addRuntimeList } from "./runtime.ts";

const verbs: readonly (readonly [GtVerb, string])[] = [
  ["start", "Start the town's mayor."],
  ["sling", "Give a bead to a polecat."],
  ["crew", "Start a member of the crew."],
  ["polecat", "Start a polecat."],
  ["witness", "Start a rig's witness."],
  ["refinery", "Start a rig's refinery."],
];

export function addGt(program: Command): void {
  const gt = program
    .command("gt")
    .description("Start sessions of a Gas Town, by gt itself where it is on the PATH.");
  for (const [verb, description] of verbs) addVerb(gt, verb, description);
  addRuntimes(gt);
  addPreset(gt);
  addAgent(gt);
}

function addPreset(gt: Command): void {
  gt.command("preset")
    .description("Print Halyard as an agent for gt, as its settings/agents.json has them.")
    .option("-r, --runtime <name>", "the agent that Halyard runs (default: as configured there)")
    .option("--write <file>", "put it into that settings/agents.json, and leave all else in it")
    .addHelpText(
      "after",
      examples([
        [
          "halyard gt preset --runtime droid --write ~/gt/settings/agents.json",
          "then gt sling gp-123 greenplace --agent halyard-droid",
        ],
      ]),
    )
    .action(async (options: GtPresetOptions) => {
      const { gtPreset } = await import("../actions/gt-preset.ts");
      process.exitCode = await gtPreset(options);
    });
}

function addAgent(gt: Command): void {
  const agent = gt
    .command("agent")
    .description("Be an agent in a pane of gt's; what the preset has gt start.")
    .argument("[prompt]", "what to tell it first")
    .option("-r, --runtime <name>", "the agent to run (default: the rig's, or the registry's)")
    .option("--resume <session>", "go on with a session");
  addModelOptions(agent).action(async (prompt: string | undefined, options: GtAgentOptions) => {
    const { gtAgent } = await import("../actions/gt-agent.ts");
    process.exitCode = await gtAgent(prompt, options);
  });
}

function addVerb(gt: Command, verb: GtVerb, description: string): void {
  const command = gt
    .command(verb)
    .description(description)
    .argument("[words...]", "as gt takes them")
    .allowUnknownOption();
  addModelOptions(command)
    .option("-r, --runtime <name>", "the agent to run (default: the rig's, or the registry's)")
    .option("-C, --cwd <directory>", "where it works (default: here)")
    .addOption(new Option("--agent <name>", "the same as --runtime").hideHelp())
    .option("--rig <rig>", "the rig it belongs to")
    .option("--account <directory>", "the account that the agent signs in with")
    .option("--prompt <text>", "what to tell it first")
    .option("--tmux", "in a pane of tmux")
    .option("--no-gt", "without gt, even where it is there")
    .addOption(listFormatOption())
    .addHelpText(
      "after",
      examples([
        ["halyard gt sling gp-123 greenplace/ivy --runtime codex", "a bead for a polecat on Codex"],
        ["halyard gt witness greenplace --runtime droid", "an agent that gt has no preset for"],
      ]),
    )
    .action(async (words: string[], options: Omit<GtOptions, "given">) => {
      const { gt } = await import("../actions/gt.ts");
      process.exitCode = await gt(verb, words, { ...options, given: givenOptions(command) });
    });
}

/** The options that stand on the command line, by their long names. */
function givenOptions(command: Command): string[] {
  return command.options
    .filter((option) => command.getOptionValueSource(option.attributeName()) === "cli")
    .map(({ long, flags }) => long ?? flags);
}

/** `runtime list | set default | doctor`, as Gas Town has them; the default is the one of its registry. */
function addRuntimes(gt: Command): void {
  const runtime = gt
    .command("runtime")
    .description("List, choose and check the agents of the town");
  addRuntimeList(runtime);
  addRuntimeDoctor(runtime);
  runtime
    .command("set")
    .description("Change the default of the town")
    .command("default")
    .description("Make an agent the default in ~/.gastown/runtimes.json")
    .argument("<name>", "the agent")
    .addHelpText("after", examples([["halyard gt runtime set default codex", "for the town"]]))
    .action(async (name: string) => {
      const { runtimeSetDefault } = await import("../actions/runtime-set-default.ts");
      process.exitCode = await runtimeSetDefault(name, { gasTown: true });
    });
}
