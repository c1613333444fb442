import type { Machine } from "../contracts/machine.ts";
import type { AskedRequest, SessionRequest } from "../contracts/session-request.ts";
import type { Writer } from "../contracts/store.ts";
import type { MadeWorktree } from "../contracts/worktrees.ts";
import { HalyardError } from "../errors/error.ts";
import { newSessionId } from "../errors/require-id.ts";
import type { SessionId } from "../schema/id.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { StartRequest } from "../schema/start-request.ts";
import { handedOff } from "../session/handed-off.ts";
import { judgeProject, type ProjectTrust } from "../session/project-trust.ts";
import { requireRecord } from "../session/recovery/claim.ts";
import { newSessionInfo, readRequest, requireCapabilities } from "../session/session-request.ts";
import { resolveAdapter } from "./resolve-adapter.ts";

/** A session that is on record but has no runtime yet. */
interface NewSession {
  readonly request: SessionRequest;
  readonly info: SessionInfo;
  readonly writer: Writer;
  readonly project: ProjectTrust;
}

/** Validates a request, completes it from the configuration, and records the session. */
export async function newSession(machine: Machine, input: StartRequest): Promise<NewSession> {
  const read = await readRequest(input);
  const { clock, gate, self, store } = machine;
  const parent = read.parent && (await requireRecord(machine, read.parent)).info;
  const previous = read.handedOffFrom && (await requireRecord(machine, read.handedOffFrom)).info;
  const id = await newId(machine, read.id);
  const asked = { ...(parent ? inProjectOf(parent, read) : read), id };
  const resolved = await resolveAdapter(machine, asked, parent);
  const { adapter, request, fallback, warnings } = resolved;
  requireCapabilities(adapter, request);
  adapter.checkOptions?.(request.options);
  const made = await makeWorktree(machine, asked);
  try {
    const cwd = made?.cwd ?? asked.cwd;
    const judged = await judgeProject(machine, adapter, { ...asked, cwd });
    const project = { ...judged, warnings: [...warnings, ...judged.warnings] };
    const there = { ...request, cwd };
    const created = newSessionInfo(id, adapter.name, there, clock.now().toISOString(), {
      ...(parent && { parent: parent.id, depth: parent.depth + 1 }),
      ...(fallback && { fallback }),
      ...(made && { worktree: made.worktree }),
    });
    const info = previous ? handedOff(machine, created, previous, adapter) : created;
    const create = () => store.create(info, self);
    const writer = await (gate ? gate.admit(info, create) : create());
    await made?.keep();
    return { request: there, info, writer, project };
  } catch (error) {
    await made?.discard();
    throw error;
  }
}

/** Creates the worktree of a session, after everything else in its request has been checked. */
async function makeWorktree(
  { worktrees }: Machine,
  { id, cwd, worktree }: AskedRequest & { readonly id: SessionId },
): Promise<MadeWorktree | undefined> {
  if (worktree === undefined || worktree === false) return undefined;
  if (worktrees) return worktrees.make(id, worktree === true ? {} : worktree, { cwd });
  throw new HalyardError("unsupported", "This Halyard has no worktrees. Leave out the worktree.");
}

async function newId({ store }: Machine, given: SessionId | undefined): Promise<SessionId> {
  if (given === undefined || !(await store.find(given))) return given ?? newSessionId();
  throw new HalyardError("invalid_input", `id: there is a session ${given} already`);
}

/** Adds the project of the parent to a child session. Rejects another project. */
function inProjectOf({ id, project }: SessionInfo, request: AskedRequest): AskedRequest {
  if (project === undefined) return request;
  if ((request.project ?? project) === project) return { ...request, project };
  throw new HalyardError(
    "invalid_input",
    `Session ${id} belongs to the project ${project}, and so do its children. Omit the project.`,
  );
}
