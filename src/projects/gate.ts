import { Lanes } from "../async/lanes.ts";
import type { Gate } from "../contracts/gate.ts";
import type { SessionFilter } from "../contracts/store.ts";
import { HalyardError } from "../errors/error.ts";
import type { ProjectLimits } from "../schema/project/project.ts";
import type { SessionInfo } from "../schema/session.ts";
import { costOf, descendantsOf, rootOf } from "./session-tree.ts";

/** The parts of a project gate: the sessions, and the limits of their projects. */
export interface GateParts {
  sessions(filter: SessionFilter): Promise<SessionInfo[]>;
  limitsOf(session: SessionInfo): Promise<ProjectLimits>;
}

/**
 * Creates a gate that enforces the limits of each project. Admits a project's concurrent sessions in this process one
 * at a time, so that together they cannot exceed a limit.
 */
export function createProjectGate({ sessions, limitsOf }: GateParts): Gate {
  const lanes = new Lanes();
  return {
    admit: async (session, create) => {
      const { project } = session;
      if (project === undefined) return create();
      return lanes.run(project, async () => {
        const limits = await limitsOf(session);
        const others = await sessions({ project });
        requireDepth(session, limits);
        requirePlace(session, others, limits);
        requireFunds(others, limits);
        return create();
      });
    },
    admitTurn: async (session) => {
      const { project } = session;
      if (project === undefined) return;
      requireFunds(await sessions({ project }), await limitsOf(session));
    },
  };
}

function requireDepth({ depth }: SessionInfo, { max_recursion_depth: most }: ProjectLimits): void {
  if (depth <= most) return;
  throw exceeded(
    `The session would have the depth ${depth}, and max_recursion_depth is ${most}`,
    "Do the work in the parent session",
    "max_recursion_depth",
  );
}

function requirePlace(
  session: SessionInfo,
  others: readonly SessionInfo[],
  { max_agents_per_session: most }: ProjectLimits,
): void {
  if (session.parent === undefined) return;
  const root = rootOf(session, others);
  const count = descendantsOf(root, others).length;
  if (count < most) return;
  throw exceeded(
    `Session ${root} has ${count} descendants, and max_agents_per_session is ${most}`,
    "Use the existing sessions",
    "max_agents_per_session",
  );
}

function requireFunds(
  sessions: readonly SessionInfo[],
  { max_cost_usd: most }: ProjectLimits,
): void {
  const cost = costOf(sessions);
  if (cost === 0 || cost < most) return;
  throw exceeded(
    `The sessions of the project have cost $${cost.toFixed(2)}, and max_cost_usd is ${most}`,
    "Continue in another project",
    "max_cost_usd",
  );
}

function exceeded(what: string, advice: string, key: keyof ProjectLimits): HalyardError {
  const where = "the project's metadata.json (recursion_config) or config/project-defaults.json";
  return new HalyardError("limit_exceeded", `${what}. ${advice}, or raise ${key} in ${where}.`);
}
