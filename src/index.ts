export type { ConnectOptions } from "./client/connect.ts";
export { connectHalyard } from "./client/index.ts";
export type { Config, ConfigFile, LocalFile } from "./config/config.ts";
export { type ConfigPlaces, loadConfig } from "./config/load.ts";
export {
  type ConfigPlace,
  type ConfigReader,
  type ConfigReaderOptions,
  createConfigReader,
} from "./config/reader.ts";
export { type RuntimeRequest, resolveRuntime } from "./config/resolve-runtime.ts";
export type {
  Adapter,
  AttachPoint,
  Connection,
  ConnectRequest,
  Handshake,
  Output,
  TurnInput,
} from "./core/adapter.ts";
export type { CompletionDraft, EventDraft, Mapper, RequestDraft } from "./core/draft.ts";
export { allowedEnvironment } from "./core/environment.ts";
export { HalyardError } from "./core/error.ts";
export type {
  EventFilter,
  FollowOptions,
  Halyard,
  InterruptOptions,
  ResumeOptions,
  SendOptions,
  Session,
  Turn,
} from "./core/halyard.ts";
export type {
  Chunk,
  Command,
  Exit,
  Health,
  Host,
  HostProcess,
  OwnedProcess,
  ProcessIdentity,
  SessionHost,
} from "./core/host.ts";
export { eventId } from "./core/id.ts";
export { type NativeStreamOptions, nativeStream } from "./core/native-stream.ts";
export type { Platform } from "./core/platform.ts";
export { replay } from "./core/replay.ts";
export type {
  Block,
  PositionedEvent,
  ReadOptions,
  SessionFilter,
  SessionRecord,
  Store,
  StoredEvent,
  Writer,
} from "./core/store.ts";
export type { Terminal } from "./core/terminal.ts";
export { createHalyard, type HalyardOptions } from "./create-halyard.ts";
export type { Hook } from "./hooks/open-sink.ts";
export { Delivery, Receipt } from "./schema/delivery.ts";
export { ErrorCode, ErrorInfo, Phase } from "./schema/error.ts";
export { type ErrorMeaning, errorTable } from "./schema/error-table.ts";
export { EventBody, StreamEvent } from "./schema/event.ts";
export { HookEvent, HookPayload, HookSettings } from "./schema/hook.ts";
export { EventId, RequestId, SessionId, TurnId } from "./schema/id.ts";
export { ModelApi, ModelEndpoint, ReasoningLevel } from "./schema/model.ts";
export { Outcome, OutcomeStatus, Usage } from "./schema/outcome.ts";
export { Answer, PermissionPolicy, RequestOption, ToolKind } from "./schema/permission.ts";
export { Capability, HostName, RuntimeName } from "./schema/runtime.ts";
export { RuntimeDecision, RuntimeSource, RuntimeStep } from "./schema/runtime-decision.ts";
export { Availability, type Greeting, RuntimeInfo } from "./schema/runtime-info.ts";
export type {
  AcpOptions,
  CcsdkOptions,
  ClaudeOptions,
  CodexOptions,
  DroidOptions,
  OpenCodeOptions,
  OptionsOf,
  PiOptions,
  RuntimeOptions,
} from "./schema/runtime-options.ts";
export { SessionInfo } from "./schema/session.ts";
export { SessionState } from "./schema/session-state.ts";
export { Limits, StartRequest } from "./schema/start-request.ts";
