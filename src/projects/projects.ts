import { randomUUID } from "node:crypto";
import type { Dirent } from "node:fs";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { readJsonFile } from "../config/json-file.ts";
import {
  configDirectory,
  type Environment,
  projectFile,
  projectsDirectory,
} from "../config/paths.ts";
import { type ConfigReader, createConfigReader } from "../config/reader.ts";
import { writeJsonFile } from "../config/write-json.ts";
import { HalyardError } from "../core/error.ts";
import { parseInput } from "../core/parse-input.ts";
import { NewProject, Project, ProjectId, type ProjectLimits } from "../schema/project.ts";
import type { ProjectOptions } from "../schema/project-options.ts";
import type { RuntimeInfo } from "../schema/runtime-info.ts";
import { ignoreKeys } from "./ignored-keys.ts";
import { limitsIn } from "./limits.ts";
import { projectOptions } from "./options.ts";

/** All projects that could be read, and what is wrong with those that could not. */
export interface ProjectList {
  readonly projects: readonly Project[];
  readonly problems: readonly string[];
}

/** Where projects are. */
export interface ProjectsPlace {
  readonly env: Environment;
  /** Halyard's home. */
  readonly home: string;
  /** Where `config` and `projects` are, unless `HALYARD_CONFIG` says so. */
  readonly root: string;
  readonly now: () => Date;
}

/**
 * The projects beside a config directory, each a directory with its `metadata.json` and its workspaces. There is no
 * other record of them: what is on disk is what there is.
 */
export class Projects {
  readonly #place: ProjectsPlace;
  readonly #configDir: string;
  readonly #reader: ConfigReader;

  constructor(place: ProjectsPlace) {
    this.#place = place;
    this.#configDir = configDirectory(place.env, place.root);
    this.#reader = createConfigReader(place);
  }

  /** Makes a project with one workspace. Keys in its files and in `config` stay out of git. */
  async create(input: NewProject): Promise<Project> {
    const { name, description, agent_runtime, model, ...limits } = parseInput(NewProject, input);
    const same = (await this.list()).projects.find((project) => project.name === name);
    if (same) {
      const problem = `The name "${name}" belongs to the project ${same.id}. Choose another name.`;
      throw new HalyardError("invalid_input", problem);
    }
    const project: Project = {
      id: randomUUID(),
      name,
      ...(description !== undefined && { description }),
      created_at: this.#place.now().toISOString(),
      default_workspace_id: randomUUID(),
      ...(agent_runtime !== undefined && { agent_runtime }),
      ...(model !== undefined && { model }),
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

  /** Newest first. */
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

  /** Undefined where there is none; rejects where its `metadata.json` cannot be understood. */
  async find(id: string): Promise<Project | undefined> {
    if (!ProjectId.safeParse(id).success) return undefined;
    return (await readJsonFile(projectFile(this.#configDir, id), () => Project))?.value;
  }

  /** Rejects where there is none. */
  async get(id: string): Promise<Project> {
    const project = await this.find(id);
    if (project) return project;
    const place = projectsDirectory(this.#configDir);
    throw new HalyardError(
      "project_not_found",
      `there is no project ${id} in ${place}; \`halyard project list\` lists them`,
    );
  }

  /** Removes a project with all its workspaces hold. It is gone at once, and its files soon after. */
  async delete(id: string): Promise<void> {
    const project = await this.get(id);
    const directory = this.directory(project.id);
    const doomed = join(projectsDirectory(this.#configDir), `.${project.id}-${randomUUID()}`);
    await rename(directory, doomed);
    await rm(doomed, { recursive: true, force: true });
  }

  /** How far the sessions of a project may go, or those of one that sets no limits. */
  async limits(project?: Project): Promise<ProjectLimits> {
    return limitsIn(await this.#config(project));
  }

  /** What a project can be made with, where these are the runtimes. */
  async options(runtimes: readonly RuntimeInfo[]): Promise<ProjectOptions> {
    return projectOptions(await this.#config(), runtimes);
  }

  directory(id: string): string {
    return join(projectsDirectory(this.#configDir), id);
  }

  /** The ids of a project's workspaces, each the name of a directory. */
  async workspaces({ id }: Project): Promise<string[]> {
    const entries = await entriesOf(join(this.directory(id), "workspaces"));
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  }

  /** Makes a further workspace. */
  async createWorkspace(project: Project): Promise<string> {
    const workspace = randomUUID();
    await mkdir(this.workspaceDirectory(project.id, workspace), { recursive: true });
    return workspace;
  }

  /** Where sessions of a project work: in its first workspace unless another is named. */
  async openWorkspace(project: Project, workspace = project.default_workspace_id): Promise<string> {
    const known = await this.workspaces(project);
    if (known.includes(workspace)) return this.workspaceDirectory(project.id, workspace);
    throw new HalyardError(
      "invalid_input",
      `the project ${project.id} has no workspace ${workspace}; it has ${known.join(", ")}`,
    );
  }

  workspaceDirectory(id: string, workspace: string): string {
    return join(this.directory(id), "workspaces", workspace);
  }

  #config(project?: Project): Promise<Config> {
    const { root: cwd } = this.#place;
    return this.#reader.read({ cwd, ...(project && { project: project.id }) });
  }

  async #ids(): Promise<string[]> {
    const entries = await entriesOf(projectsDirectory(this.#configDir));
    return entries.map(({ name }) => name).filter((name) => ProjectId.safeParse(name).success);
  }
}

/** A directory that is not there holds nothing. */
async function entriesOf(directory: string): Promise<Dirent[]> {
  try {
    return await readdir(directory, { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
