import { randomUUID } from "node:crypto";
import type { Dirent } from "node:fs";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { readJsonFile } from "../config/json/json-file.ts";
import { writeJsonFile } from "../config/json/write-json.ts";
import { acceptZeroValues } from "../config/json/zero-values.ts";
import {
  configDirectory,
  type Environment,
  projectFile,
  projectsDirectory,
} from "../config/paths.ts";
import { type ConfigReader, createConfigReader } from "../config/reader.ts";
import { HalyardError } from "../errors/error.ts";
import { parseInput } from "../errors/parse-input.ts";
import { NewProject, Project, ProjectId, type ProjectLimits } from "../schema/project/project.ts";
import type { ProjectOptions } from "../schema/project/project-options.ts";
import type { RuntimeInfo } from "../schema/runtimes/runtime-info.ts";
import { ignoreKeys } from "./ignored-keys.ts";
import { limitsIn } from "./limits.ts";
import { projectOptions } from "./options.ts";

/** The readable projects, and the errors of projects that cannot be read. */
export interface ProjectList {
  readonly projects: readonly Project[];
  readonly problems: readonly string[];
}

/** The directories, environment and clock of `Projects`. */
export interface ProjectsPaths {
  readonly env: Environment;
  /** The Halyard home. */
  readonly home: string;
  /** The directory that contains `config` and `projects`, if `HALYARD_CONFIG` is not set. */
  readonly root: string;
  readonly now: () => Date;
}

/**
 * Manages the projects next to a config directory. Each project is a directory with a `metadata.json` and workspaces.
 * Projects are not recorded anywhere else.
 */
export class Projects {
  readonly #paths: ProjectsPaths;
  readonly #configDir: string;
  readonly #reader: ConfigReader;

  constructor(paths: ProjectsPaths) {
    this.#paths = paths;
    this.#configDir = configDirectory(paths.env, paths.root);
    this.#reader = createConfigReader(paths);
  }

  /**
   * Creates a project with one workspace. Adds a `.gitignore` for files with keys to the project and to `config`. Rejects a
   * name that another project has.
   */
  async create(input: NewProject): Promise<Project> {
    const { name, description, agent_runtime, model, worktree, ...limits } = parseInput(
      NewProject,
      input,
    );
    const same = (await this.list()).projects.find((project) => project.name === name);
    if (same) {
      const problem = `Project ${same.id} already has the name "${name}". Choose another name.`;
      throw new HalyardError("invalid_input", problem);
    }
    const project: Project = {
      id: randomUUID(),
      name,
      ...(description !== undefined && { description }),
      created_at: this.#paths.now().toISOString(),
      default_workspace_id: randomUUID(),
      ...(agent_runtime !== undefined && { agent_runtime }),
      ...(model !== undefined && { model }),
      ...(worktree !== undefined && { worktree }),
      ...(Object.keys(limits).length > 0 && { recursion_config: limits }),
    };
    await mkdir(this.workspaceDirectory(project.id, project.default_workspace_id), {
      recursive: true,
    });
    await ignoreKeys(this.#configDir, "config");
    await ignoreKeys(this.directory(project.id), "project");
    await writeJsonFile(projectFile(this.#configDir, project.id), project);
    return project;
  }

  /** Lists the readable projects, newest first, and the problems of the others. */
  async list(): Promise<ProjectList> {
    const ids = await this.#ids();
    const problems: string[] = [];
    const found = await Promise.all(
      ids.map((id) =>
        this.find(id).catch((error: unknown) => {
          if (!(error instanceof HalyardError)) throw error;
          problems.push(error.message);
          return undefined;
        }),
      ),
    );
    const projects = found.flatMap((project) => project ?? []);
    projects.sort((a, b) => b.created_at.localeCompare(a.created_at));
    return { projects, problems };
  }

  /** Finds a project. Resolves to undefined if it does not exist. Rejects if its `metadata.json` is invalid. */
  async find(id: string): Promise<Project | undefined> {
    if (!ProjectId.safeParse(id).success) return undefined;
    const schema = () => acceptZeroValues(Project);
    return (await readJsonFile(projectFile(this.#configDir, id), schema))?.value;
  }

  /**
   * Returns a project. Rejects with `project_not_found` if it does not exist, or with `invalid_config` if its
   * `metadata.json` is invalid.
   */
  async get(id: string): Promise<Project> {
    const project = await this.find(id);
    if (project) return project;
    const directory = projectsDirectory(this.#configDir);
    throw new HalyardError(
      "project_not_found",
      `Project "${id}" not found in ${directory}. Run "halyard project list" to list projects.`,
    );
  }

  /** Deletes a project with its workspaces. Renames the directory first, so that the project disappears atomically. */
  async delete(id: string): Promise<void> {
    const project = await this.get(id);
    const directory = this.directory(project.id);
    const doomed = join(projectsDirectory(this.#configDir), `.${project.id}-${randomUUID()}`);
    await rename(directory, doomed);
    await rm(doomed, { recursive: true, force: true });
  }

  /** Returns the limits of a project, or the default limits if `project` is omitted. */
  async limits(project?: Project): Promise<ProjectLimits> {
    return limitsIn(await this.#config(project));
  }

  /** Returns the options for a new project, given the available runtimes. */
  async options(runtimes: readonly RuntimeInfo[]): Promise<ProjectOptions> {
    return projectOptions(await this.#config(), runtimes);
  }

  directory(id: string): string {
    return join(projectsDirectory(this.#configDir), id);
  }

  /** Lists a project's workspace ids. Each id is the name of a directory. */
  async workspaces({ id }: Project): Promise<string[]> {
    const entries = await entriesOf(join(this.directory(id), "workspaces"));
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  }

  /** Creates another workspace and returns its id. */
  async createWorkspace(project: Project): Promise<string> {
    const workspace = randomUUID();
    await mkdir(this.workspaceDirectory(project.id, workspace), { recursive: true });
    return workspace;
  }

  /**
   * Returns the directory of a workspace, by default of the project's default workspace. Rejects if the workspace does not
   * exist.
   */
  async openWorkspace(project: Project, workspace = project.default_workspace_id): Promise<string> {
    const known = await this.workspaces(project);
    if (known.includes(workspace)) return this.workspaceDirectory(project.id, workspace);
    throw new HalyardError(
      "invalid_input",
      `The project ${project.id} has no workspace ${workspace}. Use one of its workspaces: ${known.join(", ")}.`,
    );
  }

  workspaceDirectory(id: string, workspace: string): string {
    return join(this.directory(id), "workspaces", workspace);
  }

  #config(project?: Project): Promise<Config> {
    const { root: cwd } = this.#paths;
    return this.#reader.read({ cwd, ...(project && { project: project.id }) });
  }

  async #ids(): Promise<string[]> {
    const entries = await entriesOf(projectsDirectory(this.#configDir));
    return entries.map(({ name }) => name).filter((name) => ProjectId.safeParse(name).success);
  }
}

/** Lists a directory. Returns an empty list if it does not exist. */
async function entriesOf(directory: string): Promise<Dirent[]> {
  try {
    return await readdir(directory, { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
