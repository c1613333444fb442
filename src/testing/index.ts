export { type FakeAdapterOptions, fakeAdapter } from "./fake/index.ts";
export type { ReceivedImage } from "./received-images.ts";
export type { RejectedRequest } from "./rejected-requests.ts";
export type {
  ErrorReply,
  ModelMessage,
  ModelReply,
  ModelRequest,
  ModelToolCall,
  ScriptedTurn,
  SpokenReply,
  Step,
  When,
} from "./script.ts";
export {
  type ScriptedEndpoint,
  type ScriptedModel,
  type ScriptedModelOptions,
  startScriptedModel,
} from "./scripted-model.ts";
