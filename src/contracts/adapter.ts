import type { Platform } from "../programs/platform.ts";
import type { ImageType } from "../schema/attachment.ts";
import type { JsonSchema } from "../schema/conversation/json-schema.ts";
import type { SlashCommand } from "../schema/conversation/slash-command.ts";
import type { Receipt } from "../schema/delivery.ts";
import type { DeltaEvent } from "../schema/event.ts";
import type { HostName } from "../schema/host.ts";
import type { TurnId } from "../schema/id.ts";
import type { ModelEndpoint, ReasoningLevel } from "../schema/model.ts";
import type { Answer, PermissionPolicy } from "../schema/permission.ts";
import type { ProjectSetting } from "../schema/project/project-setting.ts";
import type {
  Capability,
  InputAliases,
  InputWay,
  Readiness,
  RuntimeName,
} from "../schema/runtime.ts";
import type { ModelInfo } from "../schema/runtimes/model-info.ts";
import type { NativeSession } from "../schema/runtimes/native-session.ts";
import type { Availability, Greeting } from "../schema/runtimes/runtime-info.ts";
import type { SchemaChanges } from "../schema/runtimes/schema-changes.ts";
import type { SessionChanges } from "../schema/session/session-changes.ts";
import type { Limits, ToolLists } from "../schema/session/start-request.ts";
import type { ConversationCopy, ConversationPaths } from "./conversation.ts";
import type { EventDraft, Mapper } from "./event-draft.ts";
import type { ForkSource } from "./fork-source.ts";
import type { Host, HostProcess } from "./host.ts";
import type { NativeSessionsRequest } from "./native-sessions.ts";

/** Connects Halyard to one runtime. An adapter is stateless; a `Connection` holds the state of one session. */
export interface Adapter {
  /** The name of the runtime, as used in `StartRequest.runtime`. */
  readonly name: RuntimeName;
  /** The name that user interfaces display. */
  readonly displayName: string;
  /** The capabilities, tested by `describeAdapter`. Operations that need another capability reject with `unsupported`. */
  readonly capabilities: readonly Capability[];
  /** True to ignore model endpoints in the environment, because not all of the runtime's programs support them. */
  readonly ignoresModelVariables?: boolean;
  /** Reports whether the runtime can run on this machine. Never throws. */
  probe(): Promise<Availability>;
  /** The name of the protocol, if the runtime uses one that many runtimes share, such as `acp`. */
  readonly protocol?: string;
  /** Starts the runtime on a host, reads its handshake and stops it. Runs no turn. */
  greet?(host: Host): Promise<Greeting>;
  /** The input methods that the runtime supports, the default first. Defaults to `rpc` only. */
  readonly inputs?: readonly InputWay[];
  /** Aliases of these input methods. Defaults to none. */
  readonly inputAliases?: InputAliases;
  /** How the runtime signals readiness, and how often a message is retried. Defaults to its handshake and 3 retries. */
  readonly readiness?: Readiness;
  /** The first message, which makes a runtime without a suitable hook load its context. Defaults to none. */
  readonly bootstrap?: string;
  /** The environment variable that names the directory with the runtime's sign-in data. */
  readonly accountVariable?: string;
  /** The version of the runtime that this adapter was tested with. */
  readonly testedWith?: string;
  /**
   * Returns the possible paths of the runtime's program on a platform, the preferred one first. They are relative to the
   * `node_modules` directory of its npm package. Omitted if `halyard runtime install` cannot install the runtime.
   */
  programsFor?(platform: Platform): readonly string[];
  /**
   * The project files of this runtime that can run code, redirect a key or loosen permissions. A function if the files
   * depend on the program in the session's options. Defaults to none.
   */
  readonly projectSettings?:
    | readonly ProjectSetting[]
    | ((options: ConnectRequest["options"]) => readonly ProjectSetting[]);
  /** True if the program may drop git settings. Halyard does not start it in an untrusted repository that defines filters. */
  mayDropGitSettings?(options: ConnectRequest["options"]): boolean;
  /** The names of the built-in tools, to detect misspelled names in tool lists. If omitted, names are not checked. */
  readonly builtInTools?: readonly string[];
  /** How a user signs in, as a sentence fragment: `set OPENAI_API_KEY, or run "codex login"`. */
  readonly signIn?: string;
  /** True if the runtime has its own key or login for its model. Undefined if only the runtime can determine it. */
  isSignedIn?(): Promise<boolean | undefined>;
  /** The adapter for the runtime's own user interface on a tmux screen, with its own capabilities. */
  readonly onScreen?: Adapter;
  /** Checks the options of a new session before it is recorded. Throws `invalid_input` if they are not valid. */
  checkOptions?(options: ConnectRequest["options"]): void;
  /**
   * Returns the options that are recorded with a new session, because a resume needs them again. Nothing is recorded if
   * one of them contains a key. Defaults to none.
   */
  lastingOptions?(options: ConnectRequest["options"]): Readonly<Record<string, unknown>>;
  /** Starts the runtime, or attaches to it if it is still running. Rejects if the runtime cannot be started. */
  connect(request: ConnectRequest): Promise<Connection>;
  /** Returns a mapper for native messages that were read from a file instead of a live connection. */
  createMapper(): Mapper | Promise<Mapper>;
  /**
   * Finds the process of a session if several sessions share one process and the session's run directory does not name
   * it. Terminating the returned process ends this session only.
   */
  findProcess?(location: { host: Host; runDir: string }): Promise<HostProcess | undefined>;
  /** Compares the schema that the installed program prints with the tested schema. Omitted if the program prints none. */
  compareSchema?(): Promise<SchemaChanges>;
  /** Lists the models that the runtime offers with the user's sign-in. Needs the capability `models`. */
  models?(host: Host): Promise<readonly ModelInfo[]>;
  /**
   * Lists the sessions that the runtime recorded in the user's own directories, newest first. Does not change these
   * directories. Needs the capability `native-sessions`.
   */
  nativeSessions?(request: NativeSessionsRequest): Promise<readonly NativeSession[]>;
  /** Copies the runtime's record of a conversation. Omitted if no other machine can continue a conversation. */
  readonly conversation?: ConversationCopy;
  /**
   * Removes keys from the files that the runtime leaves in `stateDir`. Called if the runtime ended without a connection
   * because the owning process had died.
   */
  clean?(session: Pick<ConnectRequest, "stateDir">): Promise<void>;
  /** Deletes the data that the runtime keeps outside `stateDir` for a session that is being removed. */
  forget?(session: ForgetRequest): Promise<void>;
}

/** The arguments of `Adapter.connect`. */
export interface ConnectRequest {
  readonly cwd: string;
  readonly host: Host;
  /** Contains generated files and the files of the process. Deleted when the session stops. */
  readonly runDir: string;
  /** Contains the files that a resume needs. Deleted when the session is removed from the store. */
  readonly stateDir: string;
  /** Halyard's own directories. Only the policy `allow-all` allows edits in them without a user's approval. */
  readonly protectedDirs?: readonly string[];
  readonly permissions: PermissionPolicy;
  /**
   * True if the user or the calling program trusts the files of `cwd`. Otherwise the runtime starts without its
   * `projectSettings`, under every policy. Defaults to false.
   */
  readonly trusted?: boolean;
  readonly plan: boolean;
  readonly model?: ModelEndpoint;
  readonly reasoning?: ReasoningLevel;
  readonly systemPrompt?: string;
  /** Set only if the adapter has the capability `tool-lists`. */
  readonly tools?: ToolLists;
  /** Variables that are added to the runtime's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The trace that the runtime can join, also in `env` as `TRACEPARENT`. Undefined if no telemetry is sent. */
  readonly trace?: AgentTrace;
  readonly options: Readonly<Record<string, unknown>>;
  readonly limits: Limits;
  /** The input method, one of the adapter's `inputs`. Defaults to the first. */
  readonly input?: InputWay;
  /** Returns the byte offset from which the output may have to be read again. Earlier output can be deleted. */
  readonly neededFrom?: () => number;
  /** Returns the byte offset up to which the output is in the log. */
  readonly loggedUntil?: () => number;
  /** Called with each native message, for the native log. */
  readonly onNativeMessage?: (message: unknown) => void;
  /** The runtime's id for the session to continue. `connect` or `ready` rejects if the runtime does not know this id. */
  readonly resume?: string;
  /** The conversation of which this session continues a copy. Set only if the adapter has the capability `fork`. */
  readonly fork?: ForkSource;
  /** The position from which to continue reading the output. Set if the runtime is still running. */
  readonly attach?: AttachPoint;
}

/** The trace of a session, which the telemetry of its agent can join. */
export interface AgentTrace {
  /** The W3C trace context of the session. */
  readonly traceparent: string;
  /** Returns the trace context of a turn. */
  ofTurn(turnId: TurnId): string;
  /** The receiver of the agent's own telemetry. Undefined if the user has not allowed it. */
  readonly receiver?: {
    readonly endpoint: string;
    readonly headers: Readonly<Record<string, string>>;
  };
}

/** The arguments of `Adapter.forget`. The session is no longer running. */
export type ForgetRequest = Omit<ConversationPaths, "accountDir">;

/** The position from which to continue reading the output of a runtime that is still running. */
export interface AttachPoint {
  /** The byte offset up to which the output is in the log. */
  readonly cursor: number;
  /** The byte offset at which the open turn's output begins. The mapper reads the output again to restore its state. */
  readonly turnCursor: number;
  /** The runtime's id for the session, if known. */
  readonly runtimeSessionId?: string;
  /** The running turn, if there is one. */
  readonly turnId?: TurnId;
}

/** A connection to the runtime of one session. */
export interface Connection extends AsyncDisposable {
  /** Resolves when the runtime accepts messages. Rejects with the reason if it never will. */
  ready(): Promise<Handshake>;
  /**
   * The output of the runtime. Each batch contains all messages that were available at once. Ends when the runtime
   * exits, or throws the reason. Can be iterated once, from the start. `ready`, `send` and `steer` may not resolve
   * until some output has been read.
   */
  readonly output: AsyncIterable<readonly Output[]>;
  /** Starts a turn. Rejects if the runtime does not accept the message. */
  send(input: TurnInput): Promise<Receipt>;
  /** Adds a message to the running turn. */
  steer(input: TurnInput): Promise<Receipt>;
  /** Starts a turn that compacts the conversation. Rejects with `unsupported` if the runtime cannot compact it. */
  compact?(input: CompactInput): Promise<Receipt>;
  /** Lists the slash commands of the session. */
  commands?(): Promise<readonly SlashCommand[]>;
  /** Requests that the runtime end the running turn. The session stays usable. */
  cancel(): Promise<void>;
  /** Resolves if the runtime responds. If omitted, a runtime whose output stays open counts as alive. */
  ping?(): Promise<void>;
  /**
   * Changes settings of the running session, effective from the next turn at the latest. Rejects with `unsupported` if
   * the runtime cannot change a setting. Calls never overlap.
   */
  configure?(settings: ConnectionSettings): Promise<void>;
  /** Answers the runtime's request with this id. */
  answer(nativeId: string, answer: Answer): Promise<void>;
  /**
   * Disconnects, leaves the runtime running and ends `output`. Called only if the adapter has the capability `attach`.
   */
  detach(): Promise<void>;
  /** Stops the runtime and all processes that it started. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The values that the runtime reported when it became ready. */
export interface Handshake {
  /** The runtime's id for the session, if already known. */
  readonly runtimeSessionId?: string;
  /** True if `runtimeSessionId` can be resumed now. Otherwise a later event sets `data.resumable`. */
  readonly resumable?: boolean;
  readonly pid?: number;
  /** The input method, if the runtime supports several. */
  readonly input?: InputWay;
  /** The negotiated protocol and version, if there was a choice. */
  readonly protocol?: { readonly name: string; readonly version: number };
  /** The agent name from the handshake. */
  readonly agent?: string;
}

/** Settings that can change while a runtime runs. */
export type ConnectionSettings = Omit<SessionChanges, "name" | "labels" | "revoke">;

/** The arguments of `Connection.compact`. */
export interface CompactInput {
  readonly turnId: TurnId;
}

/** A message for the runtime. */
export interface TurnInput {
  /** Unique for each message of the session. */
  readonly turnId: TurnId;
  readonly text: string;
  /** The images of the message. Only for a runtime with the capability `images`. */
  readonly images?: readonly ImageContent[];
  /** The W3C trace context of the turn, for a protocol that can forward it. Undefined if no telemetry is sent. */
  readonly traceparent?: string;
  /** The JSON Schema of the final message. Only for a runtime with the capability `structured-output`. */
  readonly schema?: JsonSchema;
}

/** An image for the runtime. */
export interface ImageContent {
  /** The content as base64. */
  readonly data: string;
  readonly mediaType: ImageType;
  /** The file name, if the sender provided one. */
  readonly name?: string;
}

/** Deltas that an earlier process has already read. The log lacks the text that the process's redactor buffered. */
export interface ReplayedDeltas {
  readonly turnId: TurnId;
  readonly deltas: readonly DeltaEvent[];
}

/** The events of one native message. */
export interface Output {
  readonly drafts: readonly EventDraft[];
  readonly replayed?: ReplayedDeltas;
  readonly raw?: unknown;
  /** The byte offset after the message, if the output can be read again. */
  readonly cursor?: number;
}

/** Lists and loads adapters. An adapter is loaded when it is first used. */
export interface AdapterSource {
  /** Returns the names of all runtimes. Users can add runtimes at any time. */
  names(): Promise<readonly RuntimeName[]>;
  /** Returns the names of the runtimes that the caller or the user added. */
  added?(): Promise<ReadonlySet<RuntimeName>>;
  /** Returns the name of the runtime with this name or alias, or undefined if there is none. */
  resolve(name: string): Promise<RuntimeName | undefined>;
  /** Loads an adapter for a host, which defaults to `local`. `credentials` replaces the credentials of this process. */
  load(
    name: RuntimeName,
    host?: HostName,
    credentials?: Readonly<Record<string, string>>,
  ): Promise<Adapter>;
}
