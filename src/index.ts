export type { ConnectOptions } from "./client/connect.ts";
export { connectHalyard } from "./client/index.ts";
export type { Config, ConfigFile, LocalFile } from "./config/config.ts";
export type { FactoryFile } from "./config/files/factory.ts";
export type { ModelsFile } from "./config/files/models.ts";
export type { ProjectFile } from "./config/files/project.ts";
export type { RegistryFile } from "./config/files/registry.ts";
export type { RigFile } from "./config/files/rig.ts";
export type { ServerFile, WrittenServerFile } from "./config/files/server.ts";
export type { SettingsFile } from "./config/files/settings.ts";
export { type ConfigPaths, loadConfig } from "./config/load.ts";
export {
  type ConfigReader,
  type ConfigReaderOptions,
  type ConfigScope,
  createConfigReader,
} from "./config/reader.ts";
export { type RuntimeRequest, resolveRuntime } from "./config/resolve-runtime.ts";
export type {
  Adapter,
  AttachPoint,
  Connection,
  ConnectionSettings,
  ConnectRequest,
  ForgetRequest,
  Handshake,
  ImageContent,
  Output,
  ReplayedDeltas,
  TurnInput,
} from "./contracts/adapter.ts";
export type { Clock } from "./contracts/clock.ts";
export type {
  CompletionDraft,
  EventDraft,
  Mapper,
  RequestDraft,
  SettledDraft,
} from "./contracts/event-draft.ts";
export type { Halyard, InterruptOptions, SendOptions, Session, Turn } from "./contracts/halyard.ts";
export type {
  Chunk,
  Command,
  Exit,
  Health,
  Host,
  HostedSession,
  HostProcess,
  OwnedProcess,
  ProcessIdentity,
  SessionHost,
  TerminalOptions,
} from "./contracts/host.ts";
export type { EventWindow, FollowOptions, WindowOptions } from "./contracts/read-log.ts";
export type { ResumeOptions } from "./contracts/resume-options.ts";
export type {
  Block,
  PositionedEvent,
  ReadBeforeOptions,
  ReadOptions,
  Reclaimed,
  ReclaimOptions,
  SearchOptions,
  SessionFilter,
  SessionRecord,
  Store,
  StoredEvent,
  Writer,
} from "./contracts/store.ts";
export type { Screen, Terminal } from "./contracts/terminal.ts";
export { createHalyard, type HalyardOptions } from "./create-halyard.ts";
export { HalyardError } from "./errors/error.ts";
export { eventId } from "./errors/require-id.ts";
export {
  type HandedOff,
  type HandoffOptions,
  handoff,
} from "./halyard/handoff/handoff.ts";
export {
  type CheckResult,
  type RaceOptions,
  type Racer,
  race,
} from "./halyard/race/race.ts";
export { winnerOf } from "./halyard/race/rank.ts";
export type { Hook } from "./hooks/open-sink.ts";
export type { Environment } from "./programs/environment.ts";
export type { Platform } from "./programs/platform.ts";
export { Attachment, FileInput, ImageInput, ImageType, MessageInput } from "./schema/attachment.ts";
export { ContainerOptions } from "./schema/container.ts";
export { Delivery, Receipt } from "./schema/delivery.ts";
export { ErrorCode, ErrorInfo, Phase } from "./schema/error.ts";
export { type ErrorMeaning, errorTable } from "./schema/error-table.ts";
export {
  Channel,
  CompletionEvent,
  DeltaEvent,
  ErrorEvent,
  EventBody,
  MessageEvent,
  RequestEvent,
  ResponseEvent,
  StreamEvent,
  SystemEvent,
  SystemSubtype,
  ToolCallEvent,
  ToolResultEvent,
} from "./schema/event.ts";
export { HookEvent, HookPayload, HookSettings } from "./schema/hook.ts";
export { EventId, RequestId, SessionId, TurnId } from "./schema/id.ts";
export { ModelApi, ModelEndpoint, ReasoningLevel } from "./schema/model.ts";
export { Outcome, OutcomeStatus, Usage } from "./schema/outcome.ts";
export {
  Answer,
  PermissionPolicy,
  PermissionRule,
  RequestOption,
  ToolKind,
} from "./schema/permission.ts";
export { ProcessInfo } from "./schema/process.ts";
export { ProjectDefaults } from "./schema/project.ts";
export { ProjectSetting } from "./schema/project-setting.ts";
export { Age, PrunedSession, PruneOptions, PruneResult, Retention } from "./schema/retention.ts";
export {
  Capability,
  HostName,
  InputAliases,
  InputWay,
  Readiness,
  RuntimeName,
} from "./schema/runtime.ts";
export { RuntimeDecision, RuntimeSource, RuntimeStep } from "./schema/runtimes/runtime-decision.ts";
export {
  Availability,
  type Greeting,
  RuntimeInfo,
  RuntimeReport,
} from "./schema/runtimes/runtime-info.ts";
export type {
  AcpAgent,
  AcpOptions,
  CcsdkOptions,
  ClaudeOptions,
  CodexOptions,
  DroidOptions,
  OpenCodeOptions,
  OptionsOf,
  PiOptions,
  RuntimeOptions,
} from "./schema/runtimes/runtime-options.ts";
export { SearchHit, SearchResult } from "./schema/search.ts";
export { Handoff, SessionInfo } from "./schema/session.ts";
export { SessionChanges } from "./schema/session-changes.ts";
export { SessionState } from "./schema/session-state.ts";
export { Limits, StartRequest, ToolLists } from "./schema/start-request.ts";
export { TurnUsage, UsageFilter, UsageReport, UsageTotal } from "./schema/usage/usage-report.ts";
export {
  Changes,
  ChangesQuery,
  Checkpoint,
  CheckpointRecord,
  FileChange,
  RewindRequest,
  Rewound,
  SkippedFile,
} from "./schema/workspace/checkpoint.ts";
export {
  Adopted,
  AdoptRequest,
  PrunedWorktree,
  PruneRequest,
  SessionWorktree,
  WorktreeInfo,
  WorktreeRequest,
  WorktreeState,
} from "./schema/workspace/worktree.ts";
export { WorktreeSettings } from "./schema/workspace/worktree-settings.ts";
export { replay } from "./session/replay.ts";
