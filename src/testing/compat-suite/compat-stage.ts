import type { Halyard } from "../../contracts/halyard.ts";
import type { ModelEndpoint } from "../../schema/model.ts";

/** A Halyard instance with the runtime under test and its own working directory. */
export interface FacadeStage extends AsyncDisposable {
  /** The runtime's name. */
  readonly runtime: string;
  readonly halyard: Halyard;
  readonly cwd: string;
  /** The model endpoint, if the runtime needs one. */
  readonly model?: ModelEndpoint;
  readonly prompts: Prompts;
  /** Opens another instance with the same sessions, as another process would. */
  again(): Promise<Halyard>;
}

/** Creates prompts. The comment of each method states what the prompt makes the runtime do. */
export interface Prompts {
  /** Replies with exactly this text. */
  say(text: string): string;
  /** Runs a command and replies. */
  shell(command: string): string;
  /** Streams text that starts with "la" until the turn is cancelled. */
  sing(): string;
  /** Replies with the session's first prompt. */
  recall(first: string): { readonly prompt: string; readonly answer: string };
}

/** Creates a stage for one test. */
export type OpenFacadeStage = () => Promise<FacadeStage>;

/** Returns all items of a stream. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Returns the first matching item. Throws if there is none. */
export async function until<T>(items: AsyncIterable<T>, isIt: (item: T) => boolean): Promise<T> {
  for await (const item of items) if (isIt(item)) return item;
  throw new Error("The stream ended without a matching item.");
}
