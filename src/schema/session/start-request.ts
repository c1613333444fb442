import { z } from "zod";
import { Budget } from "../budget.ts";
import { ContainerOptions } from "../container.ts";
import { HostName } from "../host.ts";
import { SessionId } from "../id.ts";
import { ModelEndpoint, ReasoningLevel } from "../model.ts";
import { PermissionPolicy } from "../permission.ts";
import { RuntimeName } from "../runtime.ts";
import type { OptionsOf } from "../runtimes/runtime-options.ts";
import { OnLimit } from "../usage-limit.ts";
import { RepositoryRequest, UploadedFiles } from "../workspace/checkout.ts";
import { WorktreeRequest } from "../workspace/worktree.ts";
import { SessionName } from "./session-name.ts";

/** A duration in milliseconds. At most 24 days, the longest delay that a timer supports. */
export const Milliseconds = z.number().nonnegative().max(2_147_483_647);

/** The time limits of a session, in milliseconds. 0 means no limit. */
export const Limits = z.strictObject({
  /** From the start of the session until the runtime's process runs. */
  startMs: Milliseconds.default(30_000),
  /** From the start of the process until the runtime accepts messages. */
  readyMs: Milliseconds.default(60_000),
  /** From a message to the first output of the runtime. */
  firstOutputMs: Milliseconds.default(300_000),
  /** Between two outputs in a turn, while no tool runs and no request is open. */
  progressMs: Milliseconds.default(600_000),
  /** For the whole turn. */
  turnMs: Milliseconds.default(0),
  /** From the cancellation of a turn to its end. After that, the session fails, and its runtime is stopped. */
  cancelMs: Milliseconds.default(10_000),
  /** From a stop until the runtime exits. After that, the runtime is killed. */
  stopMs: Milliseconds.default(5_000),
  /** The longest time that the runtime may wait to retry at a usage limit. `onLimit` applies to longer waits. */
  retryMs: Milliseconds.default(60_000),
  /** From a request to its answer. After that, the request is denied. */
  requestMs: Milliseconds.default(1_800_000),
});
export type Limits = z.infer<typeof Limits>;

const names = z.array(z.string().min(1));

/** The tools of a runtime that a session may use, by the runtime's names. */
export const ToolLists = z.strictObject({
  /** Enables these tools and no others. */
  enabled: names.exactOptional(),
  /** Enables all tools except these. */
  disabled: names.exactOptional(),
});
export type ToolLists = z.infer<typeof ToolLists>;

/** Labels of a session, for queries. */
export const Labels = z.record(
  z.string().regex(/^[^=]+$/, "the name of a label cannot contain ="),
  z.string(),
);

/** Environment variables. Error messages contain only the variable's name, because the value may be a key. */
const Variables = z.record(
  z.string().regex(/^[^=\0]+$/, "the name of a variable cannot contain = or NUL"),
  z.string().regex(/^[^\0]*$/, "the value of a variable cannot contain NUL"),
);

/** The arguments of `Halyard.start`. */
export const StartRequest = z.strictObject({
  /**
   * The id of the new session, for callers that need it before the session starts.
   * @defaultValue a new id
   * @example "ses_0123456789abcdef"
   */
  id: SessionId.optional(),
  /**
   * The name of the runtime.
   * @defaultValue the runtime that the configuration names, otherwise `defaultRuntime` in the options of `createHalyard`
   * @example "claude"
   */
  runtime: RuntimeName.optional(),
  /**
   * The working directory of the agent.
   * @example "/home/me/project"
   */
  cwd: z.string().min(1),
  /**
   * The machine to use: the name or a label of a machine of the cluster, or the name of a machine that `halyard host add`
   * added. Rejected if there is no such machine.
   * @defaultValue in a cluster, the machine with the most free capacity; otherwise this machine
   * @example "gpu"
   */
  on: z.string().min(1).optional(),
  /**
   * Where the process of the runtime runs.
   * @defaultValue the host that the configuration names, otherwise `"local"`
   * @example "container"
   */
  host: HostName.optional(),
  /**
   * Decides what the agent may do without a user's approval.
   * @defaultValue the configured policy, otherwise `"ask"`, or `"allow-all"` in a container, which limits the agent
   * @example "allow-edits"
   */
  permissions: PermissionPolicy.optional(),
  /**
   * True if the caller trusts the files of `cwd`: the runtime then reads its hooks, plugins, MCP servers and permission
   * lists there.
   * @defaultValue the user's decision in `halyard trust`
   * @example true
   */
  trust: z.boolean().optional(),
  /**
   * The name of a model, or a model with the endpoint that serves it.
   * @defaultValue the model that the configuration names, otherwise the runtime's choice
   * @example "claude-sonnet-4-5"
   */
  model: z.union([z.string().min(1), ModelEndpoint]).optional(),
  /**
   * How much the model reasons before it answers.
   * @defaultValue the runtime's choice
   * @example "high"
   */
  reasoning: ReasoningLevel.optional(),
  /**
   * True for a session that reads and plans but changes nothing.
   * @example true
   */
  plan: z.boolean().default(false),
  /**
   * The runtime's tools that the session may use.
   * @defaultValue all tools
   * @example { disabled: ["WebFetch"] }
   */
  tools: ToolLists.optional(),
  /**
   * Text that is added to the runtime's instructions.
   * @defaultValue no text
   * @example "Answer in one sentence."
   */
  systemPrompt: z.string().optional(),
  /**
   * A display name. The command line accepts it in place of the id.
   * @defaultValue no name
   * @example "api"
   */
  name: SessionName.optional(),
  /**
   * Labels for queries: `halyard.sessions({ labels })`.
   * @example { team: "backend" }
   */
  labels: Labels.default({}),
  /**
   * The session that starts this one. A child runs on the runtime of its parent; another runtime is rejected.
   * @defaultValue no parent
   * @example parent.id
   */
  parent: SessionId.optional(),
  /**
   * The session whose work this one continues, on any runtime. The agent can read that session's log: with an MCP tool,
   * or in a file if MCP is not available. The function `handoff` also sends a summary of the work.
   * @defaultValue no session
   * @example previous.id
   */
  handedOffFrom: SessionId.optional(),
  /**
   * The session to fork: the new session continues a copy of its conversation, on the same runtime and host. The
   * original session does not change. `session.fork` starts such a session with the settings and keys of the original.
   * @defaultValue no session
   * @example original.id
   */
  forkedFrom: SessionId.optional(),
  /**
   * The runtime's own id of a conversation that the user started without Halyard. The session continues a copy of it;
   * the runtime's record does not change. `halyard.nativeSessions` lists the ids.
   * @defaultValue no conversation
   * @example (await halyard.nativeSessions("codex", { cwd }))[0]?.id
   */
  continuedFrom: z.string().min(1).optional(),
  /**
   * True, or a branch, to run the session in a separate git worktree, in the subdirectory that corresponds to `cwd`.
   * @defaultValue the project's setting, otherwise false
   * @example { branch: "fix/login" }
   */
  worktree: z.union([z.boolean(), WorktreeRequest]).optional(),
  /**
   * A git repository that is cloned for the session, on the machine that runs it. `cwd` is then a path relative to the
   * repository, such as `"."`.
   * @defaultValue the session works in `cwd`
   * @example { url: "git@github.com:acme/shop.git", ref: "main" }
   */
  repository: RepositoryRequest.optional(),
  /**
   * Files of the caller that are copied to the machine that runs the session. `cwd` is then a path relative to these
   * files, such as `"."`. `packDirectory` from `halyard/cluster` packs a directory.
   * @defaultValue the session works in `cwd`
   * @example await packDirectory("/home/me/shop")
   */
  upload: UploadedFiles.optional(),
  /**
   * The project that the session belongs to. Its settings and limits apply.
   * @defaultValue no project
   * @example "shop"
   */
  project: z.string().min(1).optional(),
  /**
   * The container of the session. Applies if `host` is `"container"`.
   * @defaultValue a new container from the image that `halyard image build` creates
   * @example { memoryMb: 2048, network: "none" }
   */
  container: ContainerOptions.optional(),
  /**
   * The directory with the runtime's sign-in data, for users with several accounts.
   * @defaultValue the user's default account
   * @example "/home/me/.claude-work"
   */
  accountDir: z.string().min(1).optional(),
  /**
   * Variables that are added to the environment of the runtime and its tools.
   * @example { CI: "1" }
   */
  env: Variables.default({}),
  /**
   * The caller's environment variables that contain keys and endpoints of models. The runtime signs in with them
   * instead of the variables of the process that runs the session. They are never recorded.
   * @defaultValue the variables of the process that runs the session
   * @example { ANTHROPIC_API_KEY: key }
   */
  credentials: Variables.optional(),
  /**
   * True to store each native message as `event.raw` of the first event that it produces.
   * @example true
   */
  raw: z.boolean().default(false),
  /**
   * The native log: a file for the runtime's native messages, one per line, with known keys redacted. `replay` reads
   * it. The messages of a resumed session are appended to the same file, unless the resume names another one.
   * @defaultValue no file
   * @example "native.jsonl"
   */
  record: z.string().min(1).optional(),
  /**
   * False to record no checkpoints of the files. `halyard.changes` and `halyard.rewind` then reject.
   * @example false
   */
  checkpoints: z.boolean().default(true),
  /**
   * False if no user answers requests. Requests that would need a user's answer are then denied immediately.
   * @example false
   */
  attended: z.boolean().default(true),
  /**
   * The time limits of the session, in milliseconds.
   * @defaultValue the default of each limit
   * @example { turnMs: 600_000 }
   */
  limits: Limits.prefault({}),
  /**
   * What the session does when a vendor's usage limit ends a turn: `"fail"`, `"wait"` until the limit resets, or
   * `{ handoff: runtime }` to continue the work on another runtime.
   * @defaultValue the configured reaction, otherwise `"fail"`
   * @example "wait"
   */
  onLimit: OnLimit.optional(),
  /**
   * The maximum that the session may use. When the budget is used up, the turn is interrupted, and a request asks whether
   * to extend the budget.
   * @defaultValue the configured budget, otherwise no limit
   * @example { costUsd: 5, tokens: 2_000_000, minutes: 60 }
   */
  budget: Budget.optional(),
  /**
   * Options that are specific to this runtime. Its adapter validates them.
   * @example { mcpServers: { files: { command: "files-mcp" } } }
   */
  options: z.record(z.string(), z.unknown()).default({}),
});
export type StartRequest<Runtime extends RuntimeName = RuntimeName> = {
  [Key in keyof Input]: Key extends keyof Chosen<Runtime>
    ? Chosen<Runtime>[Key] | undefined
    : Input[Key];
};

type Input = z.input<typeof StartRequest>;

/** Fields whose static type differs from their schema: ids are plain strings here, and the schema validates them. */
interface Chosen<Runtime extends RuntimeName> {
  id: string;
  parent: string;
  handedOffFrom: string;
  forkedFrom: string;
  runtime: Runtime;
  options: OptionsOf<Runtime>;
}
