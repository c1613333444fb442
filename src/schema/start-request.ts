import { z } from "zod";
import { ContainerOptions } from "./container.ts";
import { SessionId } from "./id.ts";
import { ModelEndpoint, ReasoningLevel } from "./model.ts";
import { PermissionPolicy } from "./permission.ts";
import { HostName, RuntimeName } from "./runtime.ts";

/** As long as a timer can be set for, which is 24 days. */
export const Milliseconds = z.number().nonnegative().max(2_147_483_647);

/** How long each wait may take, in milliseconds; 0 lifts the limit. */
export const Limits = z.strictObject({
  /** Until the runtime's process is there. */
  startMs: Milliseconds.default(30_000),
  /** Until it takes messages. */
  readyMs: Milliseconds.default(60_000),
  /** From a message to the runtime's first word. */
  firstOutputMs: Milliseconds.default(300_000),
  /** Between two signs of life in a turn, while no tool runs and no request is open. */
  progressMs: Milliseconds.default(600_000),
  /** For a turn as a whole. */
  turnMs: Milliseconds.default(0),
  /** From cancelling a turn to its end, after which the runtime is ended. */
  cancelMs: Milliseconds.default(10_000),
  /** For the runtime to end by itself once asked to. */
  stopMs: Milliseconds.default(5_000),
  /** For somebody to answer a request. */
  requestMs: Milliseconds.default(1_800_000),
});
export type Limits = z.infer<typeof Limits>;

const names = z.array(z.string().min(1));

/** Which of its tools a runtime has, by its own names for them: only these, or all but these. */
export const ToolLists = z.strictObject({
  enabled: names.exactOptional(),
  disabled: names.exactOptional(),
});
export type ToolLists = z.infer<typeof ToolLists>;

/** What a session is marked with, for whoever looks for it. */
export const Labels = z.record(
  z.string().regex(/^[^=]+$/, "a label has a name without ="),
  z.string(),
);

/** What no program can be given is refused here, by its name alone: a value may be a key. */
const Variables = z.record(
  z.string().regex(/^[^=\0]+$/, "a variable has a name without = and NUL"),
  z.string().regex(/^[^\0]*$/, "no variable can hold a NUL"),
);

/** What a session is started with. */
export const StartRequest = z.strictObject({
  /** From whoever has to know it before the session starts; a new one unless given. */
  id: SessionId.optional(),
  runtime: RuntimeName.optional(),
  cwd: z.string().min(1),
  /** Where the configuration says, unless given; where that says nothing, `local`. */
  host: HostName.optional(),
  /** `ask` unless given, but `allow-all` in a container, which is the fence itself. */
  permissions: PermissionPolicy.optional(),
  /**
   * True if the caller vouches for the files of `cwd`: the runtime then reads its hooks, plugins, MCP servers and
   * permission lists there. Defaults to what the user has decided with `halyard trust`.
   */
  trust: z.boolean().optional(),
  /** A model's name, or the model with the endpoint that serves it. */
  model: z.union([z.string().min(1), ModelEndpoint]).optional(),
  reasoning: ReasoningLevel.optional(),
  /** Look and plan, but change nothing. */
  plan: z.boolean().default(false),
  tools: ToolLists.optional(),
  /** Added to the runtime's own instructions. */
  systemPrompt: z.string().optional(),
  name: z.string().min(1).optional(),
  labels: Labels.default({}),
  /** The session that starts this one. A child runs on its parent's runtime; another runtime is rejected. */
  parent: SessionId.optional(),
  /** The project it belongs to. */
  project: z.string().min(1).optional(),
  /** What its container is made of, where its host is `container`. */
  container: ContainerOptions.optional(),
  /** Where the account is kept that the runtime signs in with, for a user who has several. */
  accountDir: z.string().min(1).optional(),
  /** Added to the environment of the runtime and its tools. */
  env: Variables.default({}),
  /**
   * The caller's variables with keys and endpoints of model providers, which the runtime's sign-in reads instead of those
   * of the process that runs the session. Never recorded.
   */
  credentials: Variables.optional(),
  /** Keep the native message beside each event. */
  raw: z.boolean().default(false),
  /** A file to keep the runtime's own messages in, one per line and without known keys: what `replay` reads. */
  record: z.string().min(1).optional(),
  /** Somebody is there to answer requests; where nobody is, what the policy would ask is denied at once. */
  attended: z.boolean().default(true),
  limits: Limits.prefault({}),
  /** What only this runtime understands, passed to its adapter as it is. */
  options: z.record(z.string(), z.unknown()).default({}),
});
export type StartRequest = z.input<typeof StartRequest>;
