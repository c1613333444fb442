import { z } from "zod";
import type { CompletionDraft } from "../../contracts/event-draft.ts";
import { errorInfo } from "../../errors/error.ts";
import type { JsonSchema } from "../../schema/conversation/json-schema.ts";
import type { ErrorInfo } from "../../schema/error.ts";
import { Usage } from "../../schema/outcome.ts";
import { addUsage, noUsage } from "../../schema/usage/usage.ts";
import type { AnswerSchema } from "./answer-schema.ts";

/** The maximum number of corrections that Halyard requests from the runtime in one turn. */
const CORRECTIONS = 2;

/**
 * The result of checking an answer: the valid value, a message that requests a correction, or the error that ends the
 * turn.
 */
type Verdict =
  | { readonly kind: "matches"; readonly data: unknown }
  | { readonly kind: "correct"; readonly text: string; readonly problems: readonly string[] }
  | { readonly kind: "fails"; readonly error: ErrorInfo };

/** The number of corrections in a turn, and the usage of the rejected answers. */
export const Corrections = z.object({ corrections: z.number().int(), usage: Usage });
type Corrections = z.infer<typeof Corrections>;

/** Checks the answers of one turn, and adds up the usage of the rejected answers. */
export class AnswerCheck {
  readonly #schema: AnswerSchema;
  #corrections = 0;
  #usage: Usage = noUsage;

  constructor(schema: AnswerSchema) {
    this.#schema = schema;
  }

  get schema(): JsonSchema {
    return this.#schema.schema;
  }

  /** The number of corrections so far, and the usage of the rejected answers, for the log. */
  get record(): Corrections {
    return { corrections: this.#corrections, usage: this.#usage };
  }

  /** Restores the number of corrections and the usage that an earlier process logged. */
  restore({ corrections, usage }: Corrections): void {
    this.#corrections = corrections;
    this.#usage = usage;
  }

  /**
   * Checks the answer of a completed native turn: its structured `data` or, if there is none, the JSON in `text`. Counts a
   * correction if the answer is rejected and may be corrected.
   */
  judge({ data, usage }: Pick<CompletionDraft, "data" | "usage">, text: string): Verdict {
    const value = data === undefined ? readJson(text) : { value: data };
    const problems = value ? this.#schema.problemsOf(value.value) : ["It is not a JSON value."];
    if (value && problems.length === 0) return { kind: "matches", data: value.value };
    if (this.#corrections >= CORRECTIONS) return { kind: "fails", error: mismatch(problems) };
    this.#corrections++;
    if (usage) this.#usage = addUsage(this.#usage, usage);
    return { kind: "correct", text: correctionOf(problems), problems };
  }

  /** Returns the usage of the answers that were sent back for correction, plus `usage`, the usage of the last answer. */
  total(usage: Usage = noUsage): Usage {
    return this.#corrections === 0 ? usage : addUsage(this.#usage, usage);
  }
}

function correctionOf(problems: readonly string[]): string {
  const list = problems.map((problem) => `- ${problem}`).join("\n");
  return `Your last message does not match the JSON Schema:\n${list}\nAnswer again with one JSON value that matches it, and nothing else.`;
}

function mismatch(problems: readonly string[]): ErrorInfo {
  const why = problems.join(" ");
  const message = `The answer does not match the message's schema after ${CORRECTIONS} corrections: ${why} Simplify the schema, or choose another model.`;
  return errorInfo("invalid_output", message);
}

/** Parses a text, or else its first code fence, as JSON. Returns undefined if neither is valid JSON. */
function readJson(text: string): { readonly value: unknown } | undefined {
  const fenced = /```(?:json)?\s*\n([\s\S]*?)\n\s*```/.exec(text)?.[1];
  for (const candidate of [text, ...(fenced === undefined ? [] : [fenced])]) {
    try {
      return { value: JSON.parse(candidate) };
    } catch {
      // This candidate is not JSON. Try the next one.
    }
  }
  return undefined;
}
