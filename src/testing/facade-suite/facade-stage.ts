import type { Halyard } from "../../core/halyard.ts";
import type { ModelEndpoint } from "../../schema/model.ts";

/** A Halyard with the runtime under test, and a place of its own for it to work in; other sessions may be elsewhere. */
export interface FacadeStage extends AsyncDisposable {
  /** What the runtime is called. */
  readonly runtime: string;
  readonly halyard: Halyard;
  readonly cwd: string;
  /** What its model is reached by, where it has to be told. */
  readonly model?: ModelEndpoint;
  readonly prompts: Prompts;
  /** Another Halyard over the same sessions, as another process would have it. */
  again(): Promise<Halyard>;
}

/** Prompts that make the runtime do as they are named. */
export interface Prompts {
  /** Says exactly this. */
  say(text: string): string;
  /** Runs a command, and says something in the end. */
  shell(command: string): string;
  /** Goes on until it is cancelled. */
  sing(): string;
  /** Says something that only who remembers the first prompt of the session can know. */
  recall(first: string): { readonly prompt: string; readonly answer: string };
}

/** Makes a fresh stage for one test. */
export type OpenFacadeStage = () => Promise<FacadeStage>;

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Reads on until one is found. */
export async function until<T>(items: AsyncIterable<T>, isIt: (item: T) => boolean): Promise<T> {
  for await (const item of items) if (isIt(item)) return item;
  throw new Error("it ended before that");
}
