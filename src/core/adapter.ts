import type { Receipt } from "../schema/delivery.ts";
import type { DeltaEvent } from "../schema/event.ts";
import type { TurnId } from "../schema/id.ts";
import type { ModelEndpoint, ReasoningLevel } from "../schema/model.ts";
import type { Answer, PermissionPolicy } from "../schema/permission.ts";
import type { ProjectSetting } from "../schema/project-setting.ts";
import type { Capability, InputWay, Readiness, RuntimeName } from "../schema/runtime.ts";
import type { Availability, Greeting } from "../schema/runtime-info.ts";
import type { SessionChanges } from "../schema/session-changes.ts";
import type { Limits, ToolLists } from "../schema/start-request.ts";
import type { EventDraft, Mapper } from "./draft.ts";
import type { Host, HostProcess } from "./host.ts";
import type { Platform } from "./platform.ts";

/** Speaks to one runtime. Stateless: everything with a life is in the connection. */
export interface Adapter {
  /** The name of the runtime, for `StartRequest.runtime`. */
  readonly name: RuntimeName;
  /** The name for people. */
  readonly displayName: string;
  /** Each one claimed is proven by `describeAdapter`; what is not claimed fails with `unsupported`. */
  readonly capabilities: readonly Capability[];
  /** Whether the runtime can run here. Never throws. */
  probe(): Promise<Availability>;
  /** The protocol it is driven by, where that is one that many speak. */
  readonly protocol?: string;
  /** Starts it on that host, hears what it says of itself and ends it, without a turn. */
  greet?(host: Host): Promise<Greeting>;
  /** The ways that messages can take into it, the default first. Defaults to `rpc` alone. */
  readonly inputs?: readonly InputWay[];
  /** How it becomes ready, and its retry budget. Defaults to its protocol, with three retries. */
  readonly readiness?: Readiness;
  /** What a session in a Gas Town has to be told first, where the runtime's own hooks do not tell it. */
  readonly bootstrap?: string;
  /** The variable by which a user tells the runtime where the account is kept that it signs in with. */
  readonly accountVariable?: string;
  /** The version of the runtime that this adapter was tested with. */
  readonly testedWith?: string;
  /**
   * Paths of the runtime's program on such a platform, the best one first, relative to the `node_modules` directory that
   * its npm package is installed in. Omitted if `halyard runtime install` installs no program for it.
   */
  programsFor?(platform: Platform): readonly string[];
  /** The project files of this runtime that can run code, redirect a key or loosen permissions. Defaults to none. */
  readonly projectSettings?: readonly ProjectSetting[];
  /** How a user signs in, as part of a sentence: `set OPENAI_API_KEY, or run "codex login"`. */
  readonly signIn?: string;
  /** Whether the runtime has a key or login of its own for its model; undefined where only the runtime could tell. */
  isSignedIn?(): Promise<boolean | undefined>;
  /** The same runtime on a screen, for people to look at: for hosts that have some, with what it can do there. */
  readonly onScreen?: Adapter;
  /** Throws `invalid_input` where a new session's options are not as the runtime needs them: there is no record of it yet. */
  checkOptions?(options: ConnectRequest["options"]): void;
  /** Starts the runtime, or finds it again. Rejects where it cannot be started. */
  connect(request: ConnectRequest): Promise<Connection>;
  /** For native messages that no live connection delivers: recordings. */
  createMapper(): Mapper | Promise<Mapper>;
  /**
   * Finds again what a session runs on, where that is not the process of its own run directory but one it shares.
   * To end it is to end the session's part in it: other sessions go on.
   */
  findProcess?(place: { host: Host; runDir: string }): Promise<HostProcess | undefined>;
  /** Has the runtime forget a session that is being removed, where it keeps more than `stateDir` holds. */
  forget?(session: ForgetRequest): Promise<void>;
}

/** What an adapter needs to open a session of its runtime. */
export interface ConnectRequest {
  readonly cwd: string;
  readonly host: Host;
  /** Generated files and the process's own; gone when the session stops. */
  readonly runDir: string;
  /** What a resume needs; gone when the session is removed. */
  readonly stateDir: string;
  /** Halyard's own directories, which no tool may reach unasked. */
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
  /** Only where `tool-lists` is claimed. */
  readonly tools?: ToolLists;
  /** Added to the runtime's environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, unknown>>;
  readonly limits: Limits;
  /** The way that messages take, one of the adapter's `inputs`. Defaults to the first. */
  readonly input?: InputWay;
  /** From where on the output may have to be read again: nobody needs what is before that. */
  readonly neededFrom?: () => number;
  /** To be told every native message, for a recording. */
  readonly hear?: (message: unknown) => void;
  /** Continue this session of the runtime's; rejects if the runtime does not know it. */
  readonly resume?: string;
  /** The runtime still runs: take hold of it again at this place in its output. */
  readonly attach?: AttachPoint;
}

/** A session to be forgotten by its runtime; it does not run any more. */
export interface ForgetRequest {
  readonly cwd: string;
  readonly host: Host;
  readonly runDir: string;
  readonly stateDir: string;
  readonly runtimeSessionId: string;
}

/** Where to take hold of a runtime that still runs. */
export interface AttachPoint {
  /** Everything up to this byte is in the log already. */
  readonly cursor: number;
  /** Where the output of the open turn begins, so that a mapper can remember what it knew. */
  readonly turnCursor: number;
  /** The session's id in the runtime, where it was known. */
  readonly runtimeSessionId?: string;
  /** The turn under way, if there is one. */
  readonly turnId?: TurnId;
}

/** A live runtime session. */
export interface Connection extends AsyncDisposable {
  /** Resolves once the runtime takes messages; rejects with the reason why it never will. */
  ready(): Promise<Handshake>;
  /**
   * All the runtime says, in batches of what was there at once. Ends, or throws the reason, when the runtime is gone.
   * Read from the start on, and once: `ready`, `send` and `steer` may wait for what is in it.
   */
  readonly output: AsyncIterable<readonly Output[]>;
  /** Opens a turn. Rejects if the runtime does not take the message. */
  send(input: TurnInput): Promise<Receipt>;
  /** Adds to the turn under way. */
  steer(input: TurnInput): Promise<Receipt>;
  /** Asks the runtime to end the turn under way and to stay usable. */
  cancel(): Promise<void>;
  /** Resolves if the runtime answers; where it is left out, a runtime whose output goes on is well. */
  ping?(): Promise<void>;
  /**
   * Changes the running session, from its next turn on at the latest; rejects with `unsupported` for what it cannot
   * change. Called by one after the other.
   */
  configure?(settings: Settings): Promise<void>;
  /** Answers a request by the runtime's own name for it. */
  answer(nativeId: string, answer: Answer): Promise<void>;
  /** Lets go of the runtime without ending it, and ends `output`; only where `attach` is claimed. */
  detach(): Promise<void>;
  /** Ends the runtime and all it started. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** What a runtime says of itself once it takes messages. */
export interface Handshake {
  /** The runtime's own id for the session, where it has one by now. */
  readonly runtimeSessionId?: string;
  /** Whether that id could be resumed already; otherwise a later event says so (`data.resumable`). */
  readonly resumable?: boolean;
  readonly pid?: number;
  /** The way that messages take, for a runtime with several. */
  readonly input?: InputWay;
  /** What was agreed to be spoken, where there was a choice. */
  readonly protocol?: { readonly name: string; readonly version: number };
  /** What the program behind the protocol calls itself. */
  readonly agent?: string;
}

/** What can be changed of a runtime while it runs. */
export type Settings = Omit<SessionChanges, "name" | "labels" | "revoke">;

/** A message on its way to the runtime. */
export interface TurnInput {
  readonly turnId: TurnId;
  readonly text: string;
}

/** Deltas that an earlier process has read: they are in the log, except for what its redactor held back. */
export interface Replayed {
  readonly turnId: TurnId;
  readonly deltas: readonly DeltaEvent[];
}

/** What one native message turned into. */
export interface Output {
  readonly drafts: readonly EventDraft[];
  readonly replayed?: Replayed;
  readonly raw?: unknown;
  /** The byte just behind the message, where the output can be read again. */
  readonly cursor?: number;
}
