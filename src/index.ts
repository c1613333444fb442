export {
  type ArchiveSummary,
  type ExportArchiveOptions,
  exportArchive,
} from "./archive/export-archive.ts";
export { type ImportArchiveOptions, importArchive } from "./archive/import-archive.ts";
export type { ConnectOptions } from "./client/connect.ts";
export { connectHalyard } from "./client/index.ts";
export type { RegistryFile } from "./compat/gas-town/files/registry.ts";
export type { RigFile } from "./compat/gas-town/files/rig.ts";
export type { Config, ConfigFile, LocalFile } from "./config/config.ts";
export type { FactoryFile } from "./config/files/factory.ts";
export type { ModelsFile } from "./config/files/models.ts";
export type { ProjectFile } from "./config/files/project.ts";
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
  AgentTrace,
  AttachPoint,
  CompactInput,
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
export type { ConversationCopy, ConversationPaths, RecordFile } from "./contracts/conversation.ts";
export type {
  CompletionDraft,
  EventDraft,
  Mapper,
  RequestDraft,
  SettledDraft,
} from "./contracts/event-draft.ts";
export type { ForkSource } from "./contracts/fork-source.ts";
export type { Halyard, Session } from "./contracts/halyard.ts";
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
export type { Inspection, InspectOptions } from "./contracts/inspection.ts";
export type { NativeSessionsRequest } from "./contracts/native-sessions.ts";
export type { Races, WatchRaceOptions } from "./contracts/races.ts";
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
export type { CompactOptions, InterruptOptions, SendOptions, Turn } from "./contracts/turn.ts";
export { createHalyard } from "./create-halyard.ts";
export { HalyardError } from "./errors/error.ts";
export { eventId } from "./errors/require-id.ts";
export { fork } from "./halyard/fork.ts";
export {
  type HandedOff,
  type HandoffOptions,
  handoff,
} from "./halyard/handoff/handoff.ts";
export { type RaceOptions, race } from "./halyard/race/race.ts";
export { winnerOf } from "./halyard/race/rank.ts";
export type { HalyardOptions } from "./halyard-options.ts";
export type { Hook } from "./hooks/sinks/open-sink.ts";
export type { Environment } from "./programs/environment.ts";
export type { Platform } from "./programs/platform.ts";
export { Attachment, FileInput, ImageInput, ImageType, MessageInput } from "./schema/attachment.ts";
export {
  Budget,
  BudgetExtension,
  BudgetScope,
  BudgetSettings,
  BudgetUnit,
  ExceededBudget,
} from "./schema/budget.ts";
export { ContainerOptions } from "./schema/container.ts";
export { ForkOptions } from "./schema/conversation/fork-options.ts";
export { JsonSchema } from "./schema/conversation/json-schema.ts";
export { SlashCommand } from "./schema/conversation/slash-command.ts";
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
export { HostName } from "./schema/host.ts";
export { EventId, RaceId, RequestId, SessionId, TurnId } from "./schema/id.ts";
export { ModelApi, ModelEndpoint, ReasoningLevel } from "./schema/model.ts";
export { Outcome, OutcomeStatus, Usage } from "./schema/outcome.ts";
export type { ExplainedSetting, ExplainRequest, Explanation } from "./schema/page/explanation.ts";
export type { SessionScreen } from "./schema/page/screen.ts";
export {
  Answer,
  PermissionPolicy,
  PermissionRule,
  RequestOption,
  ToolKind,
} from "./schema/permission.ts";
export { ProjectDefaults } from "./schema/project/project.ts";
export { ProjectSetting } from "./schema/project/project-setting.ts";
export { Capability, InputAliases, InputWay, Readiness, RuntimeName } from "./schema/runtime.ts";
export { ModelInfo } from "./schema/runtimes/model-info.ts";
export { NativeSession, NativeSessionQuery } from "./schema/runtimes/native-session.ts";
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
export { SchemaChanges } from "./schema/runtimes/schema-changes.ts";
export { SearchHit, SearchOrder, SearchResult } from "./schema/search.ts";
export { ProcessInfo } from "./schema/session/process.ts";
export {
  Age,
  PrunedSession,
  PruneOptions,
  PruneResult,
  Retention,
} from "./schema/session/retention.ts";
export { SessionChanges } from "./schema/session/session-changes.ts";
export { SessionState } from "./schema/session/session-state.ts";
export { Limits, StartRequest, ToolLists } from "./schema/session/start-request.ts";
export { Handoff, HandoffTarget, SessionInfo } from "./schema/session.ts";
export { TelemetrySettings } from "./schema/telemetry.ts";
export { PriceTable } from "./schema/usage/prices.ts";
export { TurnUsage, UsageFilter, UsageReport, UsageTotal } from "./schema/usage/usage-report.ts";
export {
  AccountLimits,
  LimitWindow,
  OnLimit,
  UsageLimit,
  Waiting,
} from "./schema/usage-limit.ts";
export { RepositoryRequest, SessionCheckout, UploadedFiles } from "./schema/workspace/checkout.ts";
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
  CheckResult,
  RaceInfo,
  RaceRequest,
  Racer,
  RacerRequest,
} from "./schema/workspace/race.ts";
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
export {
  type ExportedTelemetry,
  type ExportTelemetryOptions,
  exportTelemetry,
  type SpanFilter,
} from "./telemetry/export-telemetry.ts";
