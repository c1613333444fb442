import type { Command } from "commander";
import type { RuntimeInstallOptions } from "../actions/runtime-install.ts";
import type { RuntimeListOptions } from "../actions/runtime-list.ts";
import { examples } from "../examples.ts";
import { listFormatOption } from "../options.ts";
import { addRuntimeChoice } from "./runtime-choice.ts";

export function addRuntime(program: Command): void {
  const runtime = program.command("runtime").description("See, choose and install the agents.");
  addRuntimeList(runtime);
  addRuntimeDoctor(runtime);
  runtime
    .command("install")
    .description("Install agents into Halyard's home, or repair them; does nothing if they work")
    .argument("<names...>", "the agents")
    .option("--force", "install them again even if they work")
    .addHelpText(
      "after",
      examples([
        ["halyard runtime install pi", "about 200 MB, from npm"],
        ["halyard runtime install claude codex", "beside the user's own, which stay as they are"],
      ]),
    )
    .action(async (names: string[], options: RuntimeInstallOptions) => {
      const { runtimeInstall } = await import("../actions/runtime-install.ts");
      process.exitCode = await runtimeInstall(names, options);
    });
  runtime
    .command("upgrade")
    .description("Install the tested versions of agents that Halyard has installed")
    .argument("[names...]", "the agents (default: all that Halyard has installed)")
    .addHelpText(
      "after",
      examples([["halyard runtime upgrade", "after an upgrade of Halyard itself"]]),
    )
    .action(async (names: string[]) => {
      const { runtimeUpgrade } = await import("../actions/runtime-upgrade.ts");
      process.exitCode = await runtimeUpgrade(names);
    });
  runtime
    .command("uninstall")
    .description("Remove agents that Halyard has installed; others stay as they are")
    .argument("<names...>", "the agents")
    .addHelpText("after", examples([["halyard runtime uninstall opencode", "frees 370 MB"]]))
    .action(async (names: string[]) => {
      const { runtimeUninstall } = await import("../actions/runtime-uninstall.ts");
      process.exitCode = await runtimeUninstall(names);
    });
  addRuntimeChoice(runtime);
}

export function addRuntimeList(runtime: Command): void {
  runtime
    .command("list")
    .description("List the agents, and what is missing where one cannot run.")
    .addOption(listFormatOption())
    .addHelpText(
      "after",
      examples([
        ["halyard runtime list", "which agents can run here"],
        ["halyard runtime list --format json", "for programs"],
      ]),
    )
    .action(async (options: RuntimeListOptions) => {
      const { runtimeList } = await import("../actions/runtime-list.ts");
      process.exitCode = await runtimeList(options);
    });
}

export function addRuntimeDoctor(runtime: Command): void {
  runtime
    .command("doctor")
    .description("Look at agents closely: where they are, whether they are signed in, what to do.")
    .argument("[names...]", "the agents; all of them unless named")
    .addOption(listFormatOption())
    .addHelpText(
      "after",
      examples([
        ["halyard runtime doctor", "all agents; exits with 0 only if each is usable"],
        ["halyard runtime doctor codex claude", "these two"],
      ]),
    )
    .action(async (names: string[], options: RuntimeListOptions) => {
      const { runtimeDoctor } = await import("../actions/runtime-doctor.ts");
      process.exitCode = await runtimeDoctor(names, options);
    });
}
