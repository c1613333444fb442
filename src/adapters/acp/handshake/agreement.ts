import { z } from "zod";
import { HalyardError } from "../../../errors/error.ts";

/** A sign-in method that an agent offers. */
const SignInMethod = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().optional(),
});

/**
 * The result of the handshake, independent of the protocol version. A field with a default may be absent from records
 * that earlier versions of Halyard wrote.
 */
export const Agreement = z.object({
  version: z.union([z.literal(1), z.literal(2)]),
  /** The agent's name and version. */
  agent: z.string(),
  signIn: z.array(SignInMethod),
  /** The method that resumes a session. Undefined if the agent cannot resume sessions. */
  resumeBy: z.enum(["session/resume", "session/load"]).optional(),
  takesSystemPrompt: z.boolean(),
  /** True if the agent accepts images in prompts. */
  takesImages: z.boolean().default(false),
  /** True if the agent can fork a session. */
  forks: z.boolean().default(false),
  /** True if the agent can list its sessions. */
  listsSessions: z.boolean().default(false),
  /** True if the client can set the model endpoint. */
  setsProviders: z.boolean().default(false),
  /** True if a session can have additional directories. */
  takesDirectories: z.boolean().default(false),
  /** Supported MCP transports in addition to stdio. */
  mcp: z.object({ http: z.boolean(), sse: z.boolean() }),
  /** The capabilities in the agent's response, unchanged. */
  capabilities: z.record(z.string(), z.unknown()),
});
export type Agreement = z.infer<typeof Agreement>;

const loose = z.looseObject({}).nullish();
const Info = z.looseObject({ name: z.string(), title: z.string().nullish(), version: z.string() });

const InitializeResponse = z.looseObject({
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
      promptCapabilities: z.looseObject({ image: z.boolean().nullish() }).nullish(),
      sessionCapabilities: z
        .looseObject({
          list: loose,
          resume: loose,
          fork: loose,
          additionalDirectories: loose,
          systemPrompt: loose,
        })
        .nullish(),
      providers: loose,
      mcpCapabilities: z
        .looseObject({ http: z.boolean().nullish(), sse: z.boolean().nullish() })
        .nullish(),
    })
    .nullish(),
  info: Info.nullish(),
  capabilities: z
    .looseObject({
      providers: loose,
      session: z
        .looseObject({
          fork: loose,
          additionalDirectories: loose,
          systemPrompt: loose,
          prompt: z.looseObject({ image: loose }).nullish(),
          mcp: z.looseObject({ http: loose }).nullish(),
        })
        .nullish(),
    })
    .nullish(),
});
type InitializeResponse = z.infer<typeof InitializeResponse>;

/**
 * Parses the response to `initialize`. Some agents echo the requested version 2 but send the fields of version 1; these
 * agents count as version 1. Throws `start_failed` if the program is not an ACP agent, and `unsupported` for any version
 * except 1 and 2.
 */
export function readAgreement(answer: unknown): Agreement {
  const { data } = InitializeResponse.safeParse(answer);
  if (data === undefined) throw notAnAgent(answer);
  const { protocolVersion, agentInfo, info } = data;
  if (protocolVersion !== 1 && protocolVersion !== 2)
    throw new HalyardError(
      "unsupported",
      `The agent uses version ${protocolVersion} of ACP, but Halyard supports only versions 1 and 2. Install a version of the agent that supports one of them.`,
    );
  const isVersion2 =
    protocolVersion === 2 && data.capabilities != null && data.agentCapabilities == null;
  return {
    version: isVersion2 ? 2 : 1,
    agent: nameOf(info ?? agentInfo),
    signIn: (data.authMethods ?? []).flatMap(toMethod),
    ...(isVersion2 ? readVersion2(data) : readVersion1(data)),
  };
}

type Abilities = Omit<Agreement, "version" | "agent" | "signIn">;

function readVersion1({ agentCapabilities }: InitializeResponse): Abilities {
  const { loadSession, sessionCapabilities, mcpCapabilities, promptCapabilities, providers } =
    agentCapabilities ?? {};
  const { list, resume, fork, additionalDirectories, systemPrompt } = sessionCapabilities ?? {};
  const resumeBy = resume ? "session/resume" : loadSession ? "session/load" : undefined;
  return {
    ...(resumeBy && { resumeBy }),
    takesSystemPrompt: Boolean(systemPrompt),
    takesImages: promptCapabilities?.image ?? false,
    forks: Boolean(fork),
    listsSessions: Boolean(list),
    setsProviders: Boolean(providers),
    takesDirectories: Boolean(additionalDirectories),
    mcp: { http: mcpCapabilities?.http ?? false, sse: mcpCapabilities?.sse ?? false },
    capabilities: agentCapabilities ?? {},
  };
}

function readVersion2({ capabilities }: InitializeResponse): Abilities {
  const { systemPrompt, mcp, prompt, fork, additionalDirectories } = capabilities?.session ?? {};
  return {
    resumeBy: "session/resume",
    takesSystemPrompt: Boolean(systemPrompt),
    takesImages: Boolean(prompt?.image),
    forks: Boolean(fork),
    listsSessions: true, // required in version 2
    setsProviders: Boolean(capabilities?.providers),
    takesDirectories: Boolean(additionalDirectories),
    mcp: { http: Boolean(mcp?.http), sse: false },
    capabilities: capabilities ?? {},
  };
}

function nameOf(info: z.infer<typeof Info> | null | undefined): string {
  return info ? `${info.title || info.name} ${info.version}` : "an unnamed agent";
}

function toMethod({
  id,
  methodId,
  name,
  description,
}: NonNullable<InitializeResponse["authMethods"]>[number]) {
  const known = methodId ?? id;
  if (known === undefined) return [];
  return [{ id: known, name: name || known, ...(description && { description }) }];
}

/**
 * Returns the error for a program that is not an ACP agent. MCP servers also respond to `initialize`; their version is
 * a date.
 */
function notAnAgent(answer: unknown): HalyardError {
  const isMcp = typeof answer === "object" && answer !== null && "serverInfo" in answer;
  const message = isMcp
    ? "The program is an MCP server, not an ACP agent. Pass the command of an ACP agent."
    : "The program's response does not match ACP. Check the command, or update the agent.";
  return new HalyardError("start_failed", message);
}
