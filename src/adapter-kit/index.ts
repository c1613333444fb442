// The entry point `halyard/adapter`: the types that an adapter implements, and functions for implementing an adapter.
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
} from "../contracts/adapter.ts";
export type { ConversationCopy, ConversationPaths, RecordFile } from "../contracts/conversation.ts";
export type {
  CompletionDraft,
  EventDraft,
  Mapper,
  RequestDraft,
  SettledDraft,
} from "../contracts/event-draft.ts";
export type { Command, Exit, Host, HostProcess } from "../contracts/host.ts";
export { HalyardError } from "../errors/error.ts";
export { allowedEnvironment, type Environment } from "../programs/environment.ts";
export { findRunning } from "./find-running.ts";
export { type NativeOutputOptions, NativeProgram } from "./native-program.ts";
export { type NativeStreamOptions, nativeStream } from "./native-stream.ts";
export { copyStateFiles, type StateFiles } from "./records/state-files.ts";
