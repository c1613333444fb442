import type { Command } from "commander";
import { examples } from "../examples.ts";
import { listFormatOption, toAmount, toCount } from "../options.ts";
import type { ProjectCreateOptions } from "./project-create.ts";
import type { ProjectDeleteOptions } from "./project-delete.ts";
import type { ListFormatOptions } from "./project-list.ts";

const PROJECT = "project id, start of an id, or name";

export function addProject(program: Command): void {
  const project = program
    .command("project")
    .description("Manage projects, with their workspaces, runtime and limits");
  project
    .command("create")
    .description("Create a project in projects/ beside config/")
    .argument("<name>", "name of the project")
    .option("--description <text>", "purpose of the project")
    .option(
      "-r, --runtime <name>",
      "runtime of the project's sessions (default: as configured, otherwise pi)",
    )
    .option("-m, --model <name>", "model of the project's sessions")
    .option("--worktree", "run each session in a separate git worktree")
    .option("--max-depth <count>", "maximum depth of sessions that start sessions", toCount)
    .option("--max-agents <count>", "maximum number of descendants of a root session", toCount)
    .option("--max-cost <dollars>", "maximum total cost of the project's sessions", toAmount)
    .addOption(listFormatOption())
    .addHelpText(
      "after",
      examples([
        [
          "halyard project create site --runtime opencode --max-cost 5",
          "create a project and print its id",
        ],
        ['halyard run --project site "Build the page"', "start a session in the project"],
      ]),
    )
    .action(async (name: string, options: ProjectCreateOptions) => {
      const { projectCreate } = await import("./project-create.ts");
      process.exitCode = await projectCreate(name, options);
    });
  project
    .command("list")
    .description("List projects, newest first")
    .addOption(listFormatOption())
    .action(async (options: ListFormatOptions) => {
      const { projectList } = await import("./project-list.ts");
      process.exitCode = await projectList(options);
    });
  project
    .command("show")
    .description("Show the workspaces, limits and costs of a project")
    .argument("<project>", PROJECT)
    .addOption(listFormatOption())
    .action(async (name: string, options: ListFormatOptions) => {
      const { projectShow } = await import("./project-show.ts");
      process.exitCode = await projectShow(name, options);
    });
  project
    .command("delete")
    .description("Delete a project and all files in its workspaces")
    .argument("<project>", "full project id or name")
    .option("-y, --yes", "skip the confirmation (the default without a console)")
    .addHelpText(
      "after",
      examples([["halyard project delete site", "delete the project permanently"]]),
    )
    .action(async (name: string, options: ProjectDeleteOptions) => {
      const { projectDelete } = await import("./project-delete.ts");
      process.exitCode = await projectDelete(name, options);
    });
  project
    .command("options")
    .description("List the runtimes, limits and models that a project can use")
    .addOption(listFormatOption())
    .action(async (options: ListFormatOptions) => {
      const { projectOptions } = await import("./project-options.ts");
      process.exitCode = await projectOptions(options);
    });
}
