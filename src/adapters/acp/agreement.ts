import { z } from "zod";
import { HalyardError } from "../../core/error.ts";

/** A way to sign in that the agent offers. */
const SignInMethod = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().optional(),
});

/** What an agent and we have agreed on, whichever version it was told in. */
export const Agreement = z.object({
  version: z.union([z.literal(1), z.literal(2)]),
  /** What the agent calls itself, and its version. */
  agent: z.string(),
  signIn: z.array(SignInMethod),
  /** By which method a session is gone on with, if at all. */
  resumeBy: z.enum(["session/resume", "session/load"]).optional(),
  takesSystemPrompt: z.boolean(),
  /** MCP servers that it can use beside those that are programs. */
  mcp: z.object({ http: z.boolean(), sse: z.boolean() }),
  /** Its capabilities in its own words. */
  capabilities: z.record(z.string(), z.unknown()),
});
export type Agreement = z.infer<typeof Agreement>;

const loose = z.looseObject({}).nullish();
const Info = z.looseObject({ name: z.string(), title: z.string().nullish(), version: z.string() });

const InitializeAnswer = z.looseObject({
  protocolVersion: z.number(),
  authMethods: z
    .array(
      z.looseObject({
        id: z.string().optional(),
        methodId: z.string().optional(),
        name: z.string().default(""),
        description: z.string().nullish(),
      }),
    )
    .nullish(),
  agentInfo: Info.nullish(),
  agentCapabilities: z
    .looseObject({
      loadSession: z.boolean().nullish(),
      sessionCapabilities: z.looseObject({ resume: loose }).nullish(),
      mcpCapabilities: z
        .looseObject({ http: z.boolean().nullish(), sse: z.boolean().nullish() })
        .nullish(),
    })
    .nullish(),
  info: Info.nullish(),
  capabilities: z
    .looseObject({
      session: z
        .looseObject({ systemPrompt: loose, mcp: z.looseObject({ http: loose }).nullish() })
        .nullish(),
    })
    .nullish(),
});
type InitializeAnswer = z.infer<typeof InitializeAnswer>;

/** Reads what an agent answers to our greeting. Some repeat any number they are asked for, so the shape counts too. */
export function readAgreement(answer: unknown): Agreement {
  const { data } = InitializeAnswer.safeParse(answer);
  if (data === undefined) throw noAgent(answer);
  const { protocolVersion, agentInfo, info } = data;
  if (protocolVersion !== 1 && protocolVersion !== 2)
    throw new HalyardError(
      "unsupported",
      `the agent speaks version ${protocolVersion} of ACP; 1 and 2 are known`,
    );
  const isSecond =
    protocolVersion === 2 && data.capabilities != null && data.agentCapabilities == null;
  return {
    version: isSecond ? 2 : 1,
    agent: nameOf(info ?? agentInfo),
    signIn: (data.authMethods ?? []).flatMap(toMethod),
    ...(isSecond ? second(data) : first(data)),
  };
}

type Abilities = Omit<Agreement, "version" | "agent" | "signIn">;

function first({ agentCapabilities }: InitializeAnswer): Abilities {
  const { loadSession, sessionCapabilities, mcpCapabilities } = agentCapabilities ?? {};
  const resumeBy = sessionCapabilities?.resume
    ? "session/resume"
    : loadSession
      ? "session/load"
      : undefined;
  return {
    ...(resumeBy && { resumeBy }),
    takesSystemPrompt: false,
    mcp: { http: mcpCapabilities?.http ?? false, sse: mcpCapabilities?.sse ?? false },
    capabilities: agentCapabilities ?? {},
  };
}

function second({ capabilities }: InitializeAnswer): Abilities {
  const { systemPrompt, mcp } = capabilities?.session ?? {};
  return {
    resumeBy: "session/resume",
    takesSystemPrompt: Boolean(systemPrompt),
    mcp: { http: Boolean(mcp?.http), sse: false },
    capabilities: capabilities ?? {},
  };
}

function nameOf(info: z.infer<typeof Info> | null | undefined): string {
  return info ? `${info.title || info.name} ${info.version}` : "an agent without a name";
}

function toMethod({
  id,
  methodId,
  name,
  description,
}: NonNullable<InitializeAnswer["authMethods"]>[number]) {
  const known = methodId ?? id;
  if (known === undefined) return [];
  return [{ id: known, name: name || known, ...(description && { description }) }];
}

/** MCP begins with the same word, and its versions are dates. */
function noAgent(answer: unknown): HalyardError {
  const isMcp = typeof answer === "object" && answer !== null && "serverInfo" in answer;
  const message = isMcp
    ? "this is an MCP server, not an ACP agent"
    : "it answers, but not as an ACP agent does";
  return new HalyardError("start_failed", message);
}
