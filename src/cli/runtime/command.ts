import { type Command, Option } from "commander";
import { examples } from "../examples.ts";
import { addExplainOptions } from "../explain/command.ts";
import { listFormatOption, toLimit } from "../options.ts";
import type { RuntimeExplainOptions } from "./runtime-explain.ts";
import type { RuntimeInstallOptions } from "./runtime-install.ts";
import type { RuntimeListOptions } from "./runtime-list.ts";
import type { RuntimeSessionsOptions } from "./runtime-sessions.ts";

export function addRuntime(program: Command): void {
  const runtime = program
    .command("runtime")
    .description("List, check, install and choose runtimes");
  addRuntimeList(runtime);
  addRuntimeDoctor(runtime);
  addRuntimeSessions(runtime);
  runtime
    .command("install")
    .description("Install or repair runtimes in Halyard's home")
    .argument("<names...>", "runtimes")
    .option("--force", "reinstall runtimes even if they work")
    .addHelpText(
      "after",
      examples([
        ["halyard runtime install pi", "download about 160 MB, or 350 MB with a newer Node"],
        [
          "halyard runtime install claude codex",
          "install both; your own installations do not change",
        ],
      ]),
    )
    .action(async (names: string[], options: RuntimeInstallOptions) => {
      const { runtimeInstall } = await import("./runtime-install.ts");
      process.exitCode = await runtimeInstall(names, options);
    });
  runtime
    .command("upgrade")
    .description("Upgrade installed runtimes to the tested versions")
    .argument("[names...]", "runtimes (default: all that Halyard has installed)")
    .addHelpText(
      "after",
      examples([["halyard runtime upgrade", "upgrade all runtimes after an upgrade of Halyard"]]),
    )
    .action(async (names: string[]) => {
      const { runtimeUpgrade } = await import("./runtime-upgrade.ts");
      process.exitCode = await runtimeUpgrade(names);
    });
  runtime
    .command("uninstall")
    .description("Remove runtimes that Halyard has installed")
    .argument("<names...>", "runtimes")
    .addHelpText("after", examples([["halyard runtime uninstall opencode", "free 370 MB"]]))
    .action(async (names: string[]) => {
      const { runtimeUninstall } = await import("./runtime-uninstall.ts");
      process.exitCode = await runtimeUninstall(names);
    });
  addRuntimeChoice(runtime);
}

export function addRuntimeList(runtime: Command): void {
  runtime
    .command("list")
    .description("List runtimes and their unmet requirements")
    .addOption(listFormatOption())
    .addHelpText(
      "after",
      examples([
        ["halyard runtime list", "show which runtimes can run on this machine"],
        ["halyard runtime list --format json", "print one JSON object per runtime"],
      ]),
    )
    .action(async (options: RuntimeListOptions) => {
      const { runtimeList } = await import("./runtime-list.ts");
      process.exitCode = await runtimeList(options);
    });
}

function addRuntimeSessions(runtime: Command): void {
  runtime
    .command("sessions")
    .description("List the sessions that a runtime recorded without Halyard")
    .argument("[runtime]", "runtime (default: as configured, otherwise pi)")
    .option("-C, --cwd <directory>", "list the sessions of this directory (default: current)")
    .addOption(new Option("-a, --all", "list the sessions of all directories").conflicts(["cwd"]))
    .option(
      "--on <machine>",
      'machine to search: a name from "halyard host list", or a label or name in the cluster',
    )
    .option("--command <line>", "command line of the agent, for the runtime acp")
    .option("--url <address>", "address of a remote agent, for the runtime acp")
    .option("-n, --limit <count>", "maximum number of sessions", toLimit, 20)
    .addOption(listFormatOption())
    .addHelpText(
      "after",
      examples([
        ["halyard runtime sessions claude", "list the sessions of this directory"],
        ["halyard runtime sessions codex --all", "list the sessions of all directories"],
        ['halyard run -r codex --from 01a1e "Now the linter"', "continue a copy of a session"],
      ]),
    )
    .action(async (name: string | undefined, options: RuntimeSessionsOptions) => {
      const { runtimeSessions } = await import("./runtime-sessions.ts");
      process.exitCode = await runtimeSessions(name, options);
    });
}

export function addRuntimeDoctor(runtime: Command): void {
  runtime
    .command("doctor")
    .description("Check the program, version and sign-in of each runtime, and print what to fix")
    .argument("[names...]", "runtimes (default: all)")
    .addOption(listFormatOption())
    .addHelpText(
      "after",
      examples([
        ["halyard runtime doctor", "check all runtimes; exits with 0 only if each is usable"],
        ["halyard runtime doctor codex claude", "check only these runtimes"],
      ]),
    )
    .action(async (names: string[], options: RuntimeListOptions) => {
      const { runtimeDoctor } = await import("./runtime-doctor.ts");
      process.exitCode = await runtimeDoctor(names, options);
    });
}

/** Adds the commands that explain and change the default runtime. */
function addRuntimeChoice(runtime: Command): void {
  addExplainOptions(runtime.command("explain"))
    .description("Show which runtime a session started here uses, and why")
    .addHelpText(
      "after",
      examples([
        ["halyard runtime explain", "show the runtime and the file that sets it"],
        ["halyard runtime explain --agent-id main --format json", "print the decision as JSON"],
      ]),
    )
    .action(async (options: RuntimeExplainOptions) => {
      const { runtimeExplain } = await import("./runtime-explain.ts");
      process.exitCode = await runtimeExplain(options);
    });
  const set = runtime.command("set").description("Set the default runtime");
  set
    .command("default")
    .description("Make a runtime the default, in config.json in Halyard's home")
    .argument("<name>", "runtime")
    .option("--gas-town", "write ~/.gastown/runtimes.json instead, which Gas Town also reads")
    .addHelpText(
      "after",
      examples([["halyard runtime set default codex", "use Codex for new sessions"]]),
    )
    .action(async (name: string, options: { readonly gasTown?: boolean }) => {
      const { runtimeSetDefault } = await import("./runtime-set-default.ts");
      process.exitCode = await runtimeSetDefault(name, { inRegistry: options.gasTown === true });
    });
  runtime
    .command("import")
    .description("Import Gas Town agents into ~/.gastown/runtimes.json")
    .argument("<file>", "Gas Town's settings/agents.json")
    .addHelpText(
      "after",
      examples([["halyard runtime import ~/gt/settings/agents.json", "import the agents once"]]),
    )
    .action(async (file: string) => {
      const { runtimeImport } = await import("./runtime-import.ts");
      process.exitCode = await runtimeImport(file);
    });
}
