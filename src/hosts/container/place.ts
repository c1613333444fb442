import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import type { ContainerOptions } from "../../schema/container.ts";

/** Where programs run: a container, and what of this machine it can see. */
export interface Place {
  /** Names the container: one for each. */
  readonly key: string;
  /** Where all that is kept of its sessions is, in the container at the same path. */
  readonly directory: string;
  /** All else that can be written from inside. */
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
