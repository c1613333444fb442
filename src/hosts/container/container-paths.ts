import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import type { ContainerOptions } from "../../schema/container.ts";

/** The container that a session runs in, and its directories on this machine. */
export interface ContainerPlan {
  /** The unique key from which the container's name is derived. */
  readonly key: string;
  /**
   * The directory for all of Halyard's files for the container. The directory itself is not mounted; see
   * `containerPaths`.
   */
  readonly directory: string;
  /** The sessions' working directory, or the directory of a project's workspaces. Mounted at the same path, writable. */
  readonly workspace: string;
  /**
   * The project whose sessions share the container. If set, the idle container is stopped and kept. Otherwise, it is
   * removed.
   */
  readonly project: string | undefined;
  readonly options: ContainerOptions;
}

/** The session settings that determine its container. */
export interface ContainerSettings {
  readonly cwd: string;
  readonly project?: string | undefined;
  readonly container?: ContainerOptions | undefined;
}

/**
 * Returns a session's container. All sessions in a project's workspaces share one container. Other sessions share one
 * if they have the same project, directory and options. The files of all sessions in a container are in one directory,
 * because mounts cannot be added to an existing container.
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

/** A container's directories on this machine. The agent cannot write to the directories whose files Halyard trusts. */
export interface ContainerPaths {
  /** Recordings, and files that Halyard writes for programs. Mounted at the same path, read-only. */
  readonly run: string;
  /** The runtimes' state. Mounted at the same path, writable: see `permissions/agent-writable.ts`. */
  readonly sessions: string;
  /** Halyard's sockets. Mounted at `INSIDE.routes`, read-only. */
  readonly routes: string;
  /** Output files during a start, and the programs' sockets. Mounted at `INSIDE.shared`, writable. */
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

/** Mount points in the container. They are short, because a socket path has at most 107 bytes. */
export const INSIDE = { routes: "/run/halyard/routes", shared: "/run/halyard/shared" } as const;

/** Returns the directory that contains the container directories of a home. */
export const containersIn = (home: string): string => join(home, "containers");

/** Returns the directory that contains a project's workspaces. Returns undefined if `cwd` is not in it. */
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
