import type { HalyardParts } from "../contracts/halyard-parts.ts";
import type { AskedRequest, SessionRequest } from "../contracts/session-request.ts";
import type { Writer } from "../contracts/store.ts";
import type { MadeWorktree } from "../contracts/worktrees.ts";
import { HalyardError } from "../errors/error.ts";
import { onOneMachine } from "../errors/on-one-machine.ts";
import { newSessionId } from "../errors/require-id.ts";
import { createRedactor } from "../log/redaction/redaction.ts";
import type { SessionId } from "../schema/id.ts";
import type { StartRequest } from "../schema/session/start-request.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { SessionCheckout } from "../schema/workspace/checkout.ts";
import { handedOff } from "../session/handed-off.ts";
import { lastingOptions } from "../session/lasting-options.ts";
import type { Opening } from "../session/open-session.ts";
import { judgeProject, type ProjectTrust } from "../session/project-trust.ts";
import { requireRecord } from "../session/recovery/claim.ts";
import { newSessionInfo, readRequest, requireCapabilities } from "../session/session-request.ts";
import { secretsOf } from "../session/session-secrets.ts";
import { makeCheckout } from "./make-checkout.ts";
import { originalOf } from "./original.ts";
import { resolveAdapter } from "./resolve-adapter.ts";

/** A recorded session that has no runtime yet. */
interface NewSession {
  readonly request: SessionRequest;
  readonly info: SessionInfo;
  readonly writer: Writer;
  readonly project: ProjectTrust;
  readonly opening: Opening;
}

/**
 * Validates a request, fills in configured settings, creates the checkout or worktree that the request needs, and
 * records the session.
 */
export async function newSession(parts: HalyardParts, input: StartRequest): Promise<NewSession> {
  const made = await makeCheckout(parts, input);
  try {
    return await recordSession(parts, made?.request ?? input, made?.checkout);
  } catch (error) {
    await made?.discard();
    throw error;
  }
}

async function recordSession(
  parts: HalyardParts,
  input: StartRequest,
  checkout: SessionCheckout | undefined,
): Promise<NewSession> {
  const read = await readRequest(input);
  if (read.on !== undefined) throw onOneMachine(read.on, "start");
  const { clock, gate, self, store } = parts;
  const parent = read.parent && (await requireRecord(parts, read.parent)).info;
  const previous = read.handedOffFrom && (await requireRecord(parts, read.handedOffFrom)).info;
  const id = await newId(parts, read.id);
  const original = await originalOf(parts, read);
  const asked = { ...(parent ? inProjectOf(parent, read) : read), ...original?.same, id };
  const resolved = await resolveAdapter(parts, asked, parent);
  const { adapter, request, fallback, warnings } = resolved;
  requireCapabilities(adapter, request);
  adapter.checkOptions?.(request.options);
  const made = await makeWorktree(parts, { ...asked, worktree: request.worktree });
  try {
    const cwd = made?.cwd ?? asked.cwd;
    const { options } = request;
    const judged = await judgeProject(parts, adapter, { ...asked, options, cwd });
    const project = { ...judged, warnings: [...warnings, ...judged.warnings] };
    const there = { ...request, cwd };
    const lasting = lastingOptions(parts, adapter, { ...there, options: asked.options });
    const { redact } = createRedactor([...parts.secrets, ...secretsOf(there)]);
    const { name, labels, systemPrompt } = there;
    const stored = { ...there, ...redact({ name, labels, systemPrompt }) };
    const created = newSessionInfo(id, adapter.name, stored, clock.now().toISOString(), {
      ...(lasting && { options: lasting }),
      ...(parent && { parent: parent.id, depth: parent.depth + 1 }),
      ...(fallback && { fallback }),
      ...(made && { worktree: made.worktree }),
      ...(checkout && { checkout }),
      ...(self.machine && { machine: self.machine }),
    });
    const info = previous ? handedOff(parts, created, previous, adapter) : created;
    const create = () => store.create(info, self);
    const writer = await (gate ? gate.admit(info, create) : create());
    await made?.keep();
    const opening = { opened: "started", ...(original && { fork: original.fork }) } as const;
    return { request: there, info, writer, project, opening };
  } catch (error) {
    await made?.discard();
    throw error;
  }
}

/** Creates the worktree of a session. Returns undefined if the request contains no worktree. */
async function makeWorktree(
  { worktrees }: HalyardParts,
  { id, cwd, worktree }: AskedRequest & { readonly id: SessionId },
): Promise<MadeWorktree | undefined> {
  if (worktree === undefined || worktree === false) return undefined;
  if (worktrees) return worktrees.make(id, worktree === true ? {} : worktree, { cwd });
  throw new HalyardError(
    "unsupported",
    'This Halyard instance cannot create worktrees. Remove the option "worktree".',
  );
}

async function newId({ store }: HalyardParts, given: SessionId | undefined): Promise<SessionId> {
  if (given === undefined || !(await store.find(given))) return given ?? newSessionId();
  throw new HalyardError(
    "invalid_input",
    `id: session ${given} already exists. Choose another id.`,
  );
}

/** Adds the parent's project to a child session. Rejects a different project. */
function inProjectOf({ id, project }: SessionInfo, request: AskedRequest): AskedRequest {
  if (project === undefined) return request;
  if ((request.project ?? project) === project) return { ...request, project };
  throw new HalyardError(
    "invalid_input",
    `Session ${id} belongs to the project ${project}, and so do its children. Omit the project.`,
  );
}
