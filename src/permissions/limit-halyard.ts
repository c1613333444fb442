import type { Halyard, Session } from "../contracts/halyard.ts";
import { HalyardError } from "../errors/error.ts";
import type { SessionId } from "../schema/id.ts";
import { isLooser, type PermissionPolicy } from "../schema/permission.ts";
import { inOrder, RANKED_HITS, type SearchHit } from "../schema/search.ts";
import type { SessionInfo } from "../schema/session.ts";
import { addUpUsage } from "../schema/usage/add-up-usage.ts";
import { limitRaces } from "./limit-races.ts";

/**
 * Returns a `Halyard` for a client whose sessions may be at most as permissive as `limit`. Sessions with a looser
 * policy are not listed, and every call that names one rejects with `forbidden`. Otherwise a client that is limited to
 * `deny` could run commands in a session that a user started with `allow-all`. The client can loosen its own sessions
 * up to the limit. It can loosen any other session only back to the policy that the session had when the client first
 * changed it. The client can remove only its own sessions, because a log cannot be restored.
 */
export function limitHalyard(halyard: Halyard, limit: PermissionPolicy): Halyard {
  if (limit === "allow-all") return halyard;
  const isAllowed = ({ permissions }: SessionInfo) => !isLooser(permissions, limit);
  const requirePolicy = (policy: PermissionPolicy = limit): void => {
    if (isLooser(policy, limit)) throw tooLoose(`The policy ${policy}`, limit);
  };
  const requireSession = async (id: string): Promise<SessionInfo | undefined> => {
    const info = await halyard.find(id);
    if (info && !isAllowed(info))
      throw tooLoose(`Session ${id} has the policy ${info.permissions}, which`, limit);
    return info;
  };
  const refuseRecord = (continuedFrom: string | undefined): void => {
    if (continuedFrom !== undefined) throw belowPolicy(OWN_RECORDS, "allow-all", limit);
  };
  const started = new Set<SessionId>();
  const ceilings = new Map<SessionId, Ceiling>();
  const requireChange = async (id: string, changes: PolicyChange): Promise<void> => {
    requirePolicy(changes.permissions);
    const info = await requireSession(id);
    if (!info) return;
    const { permissions, plan } = ceilings.get(info.id) ?? info;
    ceilings.set(info.id, { permissions, plan });
    const { permissions: policy = permissions, plan: plans = plan } = changes;
    if (!isLooser(policy, permissions) && (plans || !plan)) return;
    throw new HalyardError(
      "forbidden",
      `Session ${id} was not started by this client, so this client cannot loosen its permissions. Run "halyard resume ${id} --permissions POLICY", or use the web page.`,
    );
  };
  const limited = (session: Session): Session =>
    withFork(session, async (options) => {
      requirePolicy(options?.permissions);
      await requireSession(session.id);
      return own(await session.fork(options));
    });
  const own = (session: Session): Session => {
    started.add(session.id);
    ceilings.set(session.id, { permissions: limit, plan: false });
    return limited(session);
  };
  return {
    runtimes: () => halyard.runtimes(),
    inspect: (runtime, options) => halyard.inspect(runtime, options),
    models: (runtime) => halyard.models(runtime),
    nativeSessions: () => Promise.reject(belowPolicy(OWN_RECORDS, "allow-all", limit)),
    async start(request) {
      const { permissions = limit, parent, handedOffFrom, forkedFrom, continuedFrom } = request;
      requirePolicy(permissions);
      refuseRecord(continuedFrom);
      for (const id of [parent, handedOffFrom, forkedFrom])
        if (id !== undefined) await requireSession(id);
      return own(await halyard.start({ ...request, permissions }));
    },
    async resume(id, options = {}) {
      await requireChange(id, options);
      return limited(await halyard.resume(id, options));
    },
    async session(id) {
      await requireSession(id);
      return limited(await halyard.session(id));
    },
    async stop(id, reason) {
      await requireSession(id);
      await halyard.stop(id, reason);
    },
    find: requireSession,
    async sessions({ limit: most, ...filter } = {}) {
      return (await halyard.sessions(filter)).filter(isAllowed).slice(0, most);
    },
    async *events(id, options) {
      await requireSession(id);
      yield* halyard.events(id, options);
    },
    async *batches(id, options) {
      await requireSession(id);
      yield* halyard.batches(id, options);
    },
    async *allEvents(options) {
      const allowed = new Map<SessionId, boolean>();
      for await (const positioned of halyard.allEvents(options)) {
        const { sessionId } = positioned.event;
        const isKnown = allowed.get(sessionId);
        const info = isKnown === undefined ? await halyard.find(sessionId) : undefined;
        const isVisible = isKnown ?? (info !== undefined && isAllowed(info));
        allowed.set(sessionId, isVisible);
        if (isVisible) yield positioned;
      }
    },
    async window(id, options) {
      await requireSession(id);
      return halyard.window(id, options);
    },
    position: () => halyard.position(),
    async search(query, { limit: most = 20, ...options } = {}) {
      const visible = new Set((await this.sessions()).map(({ id }) => id));
      const isRanked = options.order === "relevance";
      const page = isRanked ? RANKED_HITS : most;
      const hits: SearchHit[] = [];
      let { before } = options;
      for (;;) {
        const found = await halyard.search(query, { ...options, before, limit: page });
        hits.push(...found.hits.filter(({ sessionId }) => visible.has(sessionId)));
        if (found.hits.length < page || hits.length >= most)
          return { ...found, hits: inOrder(hits, options.order).slice(0, most) };
        before = Math.min(...found.hits.map(({ position }) => position));
      }
    },
    metrics: () => halyard.metrics(),
    async screen(id) {
      await requireSession(id);
      return halyard.screen(id);
    },
    explain: (request) => halyard.explain(request),
    async usage(filter) {
      return addUpUsage(await this.sessions(), filter);
    },
    async limits() {
      const visible = new Set((await this.sessions()).map(({ id }) => id));
      return (await halyard.limits()).filter(({ sessionId }) => visible.has(sessionId));
    },
    async update(id, changes) {
      await requireChange(id, changes);
      return halyard.update(id, changes);
    },
    async changes(id, query) {
      await requireSession(id);
      return halyard.changes(id, query);
    },
    async rewind(id, request) {
      const info = await requireSession(id);
      if (info && isLooser("allow-edits", limit))
        throw belowPolicy("Restoring files", "allow-edits", limit);
      return halyard.rewind(id, request);
    },
    async remove(id) {
      const info = await requireSession(id);
      if (info && !started.has(info.id)) throw notStarted(id, limit);
      await halyard.remove(id);
    },
    async processes() {
      const visible = new Set((await this.sessions()).map(({ id }) => id));
      const all = await halyard.processes();
      return all.filter(({ sessionId }) => sessionId !== undefined && visible.has(sessionId));
    },
    prune: () => Promise.reject(belowPolicy("Removing other sessions", "allow-all", limit)),
    reap: () =>
      Promise.reject(belowPolicy("Ending the processes of other sessions", "allow-all", limit)),
    async worktrees() {
      const visible = new Set((await this.sessions()).map(({ id }) => id));
      return (await halyard.worktrees()).filter(({ sessionId }) => visible.has(sessionId));
    },
    pruneWorktrees: () => Promise.reject(belowPolicy("Removing worktrees", "allow-all", limit)),
    adopt: () =>
      Promise.reject(belowPolicy("Changing files outside a session", "allow-all", limit)),
    races: limitRaces(halyard.races, { limit, requirePolicy, requireSession, refuseRecord }),
    [Symbol.asyncDispose]: () => halyard[Symbol.asyncDispose](),
  };
}

/** Returns the session with another `fork`. The other members stay bound to the session, which has private fields. */
function withFork(session: Session, fork: Session["fork"]): Session {
  return new Proxy(session, {
    get(target, name) {
      if (name === "fork") return fork;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** The loosest settings that the client may set for a session. */
type Ceiling = Pick<SessionInfo, "permissions" | "plan">;

interface PolicyChange {
  readonly permissions?: PermissionPolicy | undefined;
  readonly plan?: boolean | undefined;
}

const OWN_RECORDS = "Reading the sessions that the user started without Halyard";

function tooLoose(what: string, limit: PermissionPolicy): HalyardError {
  return new HalyardError(
    "forbidden",
    `${what} allows more than ${limit}, this client's limit. To allow it, loosen the limit: use --permissions of "halyard mcp" or "halyard acp", --mcp-permissions of "halyard serve", or "permissions" in the URL of /acp.`,
  );
}

/** Returns the error for an operation that the client may use only if its limit is at least `needed`. */
function belowPolicy(
  what: string,
  needed: PermissionPolicy,
  limit: PermissionPolicy,
): HalyardError {
  return new HalyardError(
    "forbidden",
    `${what} requires the limit ${needed}, and this client's limit is ${limit}. To allow it, start "halyard mcp" with --permissions ${needed}, or "halyard serve" with --mcp-permissions ${needed}.`,
  );
}

function notStarted(id: string, limit: PermissionPolicy): HalyardError {
  return new HalyardError(
    "forbidden",
    `Session ${id} was not started by this client, and the limit ${limit} does not allow the client to delete it. Run "halyard rm ${id}".`,
  );
}
