import type { Command } from "commander";
import type { ProjectCreateOptions } from "../actions/project-create.ts";
import type { ProjectDeleteOptions } from "../actions/project-delete.ts";
import type { ListFormatOptions } from "../actions/project-list.ts";
import { examples } from "../examples.ts";
import { listFormatOption, toAmount, toCount } from "../options.ts";

const PROJECT = "its id, the beginning of it, or its name";

export function addProject(program: Command): void {
  const project = program
    .command("project")
    .description("Keep agents' work apart: workspaces, a runtime and limits for each project.");
  project
    .command("create")
    .description("Make a project, in projects/ beside config/.")
    .argument("<name>", "what to call it")
    .option("--description <text>", "what it is for")
    .option("-r, --runtime <name>", "the agent of its sessions (default: the server's)")
    .option("-m, --model <name>", "their model")
    .option("--max-depth <count>", "how many sessions may stand below one another", toCount)
    .option("--max-agents <count>", "how many sessions may come of one", toCount)
    .option("--max-cost <dollars>", "what all its sessions may cost together", toAmount)
    .addOption(listFormatOption())
    .addHelpText(
      "after",
      examples([
        ["halyard project create site --runtime opencode --max-cost 5", "prints its id"],
        ['halyard run --project site "Build the page"', "an agent at work in it"],
      ]),
    )
    .action(async (name: string, options: ProjectCreateOptions) => {
      const { projectCreate } = await import("../actions/project-create.ts");
      process.exitCode = await projectCreate(name, options);
    });
  project
    .command("list")
    .description("List the projects, newest first.")
    .addOption(listFormatOption())
    .action(async (options: ListFormatOptions) => {
      const { projectList } = await import("../actions/project-list.ts");
      process.exitCode = await projectList(options);
    });
  project
    .command("show")
    .description("Show a project: its workspaces, its limits, and what its sessions cost.")
    .argument("<project>", PROJECT)
    .addOption(listFormatOption())
    .action(async (name: string, options: ListFormatOptions) => {
      const { projectShow } = await import("../actions/project-show.ts");
      process.exitCode = await projectShow(name, options);
    });
  project
    .command("delete")
    .description("Delete a project with all files in its workspaces.")
    .argument("<project>", "the whole id or name of a project")
    .option("-y, --yes", "do not ask on a console; without a console nothing is asked")
    .addHelpText("after", examples([["halyard project delete site", "there is no way back"]]))
    .action(async (name: string, options: ProjectDeleteOptions) => {
      const { projectDelete } = await import("../actions/project-delete.ts");
      process.exitCode = await projectDelete(name, options);
    });
  project
    .command("options")
    .description("Tell what a project can be made with: agents, limits, models.")
    .addOption(listFormatOption())
    .action(async (options: ListFormatOptions) => {
      const { projectOptions } = await import("../actions/project-options.ts");
      process.exitCode = await projectOptions(options);
    });
}
