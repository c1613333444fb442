import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import type { ContainerOptions } from "../../schema/container.ts";

/** The container that a session runs in, and its directories on this machine. */
export interface ContainerPlan {
  /** Unique name of the container. */
  readonly key: string;
  /**
   * Directory for all files of Halyard for the container. The directory itself is not mounted; see `containerPaths`.
   */
  readonly directory: string;
  /** Contains the working directories of the sessions. Mounted at the same path, writable. */
  readonly workspace: string;
  /** If set, the idle container is stopped and kept. Otherwise it is removed. */
  readonly project: string | undefined;
  readonly options: ContainerOptions;
}

/** The settings of a session that determine its container. */
export interface ContainerSettings {
  readonly cwd: string;
  readonly project?: string | undefined;
  readonly container?: ContainerOptions | undefined;
}

/**
 * Returns the container of a session. All sessions of a project share one container, and so do other sessions with the
 * same directory and options. Their files are in one directory, because mounts cannot be added to an existing
 * container.
 */
export function planContainer(home: string, settings: ContainerSettings): ContainerPlan {
  const { cwd, project, container: options = {} } = settings;
  const shared = project === undefined ? undefined : projectWorkspaces(cwd, project);
  const workspace = shared ?? cwd;
  const parts = [home, workspace, project, shared === undefined ? sorted(options) : undefined];
  const hash = createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 10);
  const key = `${safeName(project ?? basename(cwd))}-${hash}`;
  return { key, directory: join(containersIn(home), key), workspace, project, options };
}

/** The directories of a container on this machine. The agent cannot write to any file that Halyard trusts. */
export interface ContainerPaths {
  /** Recordings and files that Halyard writes for programs. Mounted at the same path, read-only. */
  readonly run: string;
  /** State of the runtimes. Mounted at the same path, writable: see `agent-writable.ts`. */
  readonly sessions: string;
  /** Sockets of Halyard. Mounted at `INSIDE.routes`, read-only. */
  readonly routes: string;
  /** Output files during a start, and sockets of programs. Mounted at `INSIDE.shared`, writable. */
  readonly shared: string;
}

export function containerPaths(directory: string): ContainerPaths {
  return {
    run: join(directory, "run"),
    sessions: join(directory, "sessions"),
    routes: join(directory, "routes"),
    shared: join(directory, "shared"),
  };
}

/** Mount points in the container. Short, because the path of a socket has at most 107 bytes. */
export const INSIDE = { routes: "/run/halyard/routes", shared: "/run/halyard/shared" } as const;

/** Returns the directory of all containers of a home. */
export const containersIn = (home: string): string => join(home, "containers");

/** Returns the directory of all workspaces of a project. Returns undefined if `cwd` is not in it. */
function projectWorkspaces(cwd: string, project: string): string | undefined {
  for (let at = cwd; dirname(at) !== at; at = dirname(at))
    if (basename(at) === "workspaces" && basename(dirname(at)) === project) return at;
  return undefined;
}

function sorted(options: ContainerOptions): unknown {
  return Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Returns a name that engines accept. */
function safeName(name: string): string {
  return (
    name
      .replaceAll(/[^a-zA-Z0-9]+/g, "-")
      .slice(0, 24)
      .replaceAll(/^-|-$/g, "") || "session"
  );
}
