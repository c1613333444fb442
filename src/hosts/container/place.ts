import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import type { ContainerOptions } from "../../schema/container.ts";

/** Where programs run: a container, and what of this machine it can see. */
export interface Place {
  /** Names the container: one for each. */
  readonly key: string;
  /** Holds everything that Halyard keeps for the container. It is not mounted itself; see `placePaths`. */
  readonly directory: string;
  /** The working directories of its sessions. Mounted at the same path, writable. */
  readonly workspace: string;
  /** A container that belongs to a project is stopped when nothing runs in it, and others are removed. */
  readonly project: string | undefined;
  readonly options: ContainerOptions;
}

/** What decides which container a session runs in. */
export interface Tenant {
  readonly cwd: string;
  readonly project?: string | undefined;
  readonly container?: ContainerOptions | undefined;
}

/**
 * All sessions of a project share a container, and so do others that work in the same directory and ask for the same.
 * What is kept of them lies together in one directory, for a container can be given no more once it is made.
 */
export function placeOf(home: string, tenant: Tenant): Place {
  const { cwd, project, container: options = {} } = tenant;
  const shared = project === undefined ? undefined : projectWorkspaces(cwd, project);
  const workspace = shared ?? cwd;
  const parts = [home, workspace, project, shared === undefined ? sorted(options) : undefined];
  const hash = createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 10);
  const key = `${safeName(project ?? basename(cwd))}-${hash}`;
  return { key, directory: join(placesIn(home), key), workspace, project, options };
}

/**
 * What the directory of a place holds, beside notes that are for Halyard alone. Nothing that Halyard trusts is where the
 * agent can write.
 */
export interface PlacePaths {
  /** Recordings, and files that Halyard writes for programs. Mounted at the same path, read-only. */
  readonly run: string;
  /** The state of runtimes. Mounted at the same path, writable: see `agent-writable.ts`. */
  readonly sessions: string;
  /** Sockets of Halyard. Mounted at `INSIDE.routes`, read-only. */
  readonly routes: string;
  /** What both sides hand to each other: output files for a moment, and sockets of programs. Mounted at `INSIDE.shared`, writable. */
  readonly shared: string;
}

export function placePaths(directory: string): PlacePaths {
  return {
    run: join(directory, "run"),
    sessions: join(directory, "sessions"),
    routes: join(directory, "routes"),
    shared: join(directory, "shared"),
  };
}

/** Where a container has these. Short, because the path of a socket has at most 107 bytes. */
export const INSIDE = { routes: "/run/halyard/routes", shared: "/run/halyard/shared" } as const;

/** Where all places of a home are. */
export const placesIn = (home: string): string => join(home, "containers");

/** A project's directory holds all of its workspaces, whichever of them a session works in. */
function projectWorkspaces(cwd: string, project: string): string | undefined {
  for (let at = cwd; dirname(at) !== at; at = dirname(at))
    if (basename(at) === "workspaces" && basename(dirname(at)) === project) return at;
  return undefined;
}

function sorted(options: ContainerOptions): unknown {
  return Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** As engines take it. */
function safeName(name: string): string {
  return (
    name
      .replaceAll(/[^a-zA-Z0-9]+/g, "-")
      .slice(0, 24)
      .replaceAll(/^-|-$/g, "") || "session"
  );
}
