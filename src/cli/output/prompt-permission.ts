import { createInterface } from "node:readline";
import type { RequestEvent } from "../../schema/event.ts";
import type { Answer } from "../../schema/permission.ts";
import type { Colors } from "./colors.ts";
import { parseReply, type Reply } from "./reply.ts";

export interface PromptOptions {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly colors: Colors;
  /** Takes the question back: it has been settled elsewhere. */
  readonly signal: AbortSignal;
  /** Ctrl-C, which a terminal that is being read from does not turn into a signal. */
  readonly onInterrupt: () => void;
}

/** Asks on the terminal until the answer makes sense; undefined where the question was taken back. */
export async function promptPermission(
  request: RequestEvent,
  options: PromptOptions,
): Promise<Reply | undefined> {
  const question = `  ${promptFor(request, options.colors)} `;
  while (!options.signal.aborted) {
    const line = await readLine(question, options);
    if (line === undefined) return options.signal.aborted ? undefined : nobody;
    const reply = parseReply(line, request);
    if (reply) return reply;
  }
  return undefined;
}

/** What to type, on one line. */
export function promptFor({ kind, options, tool }: RequestEvent, { bold, dim }: Colors): string {
  const list = options.map(({ label }, index) => `${bold(String(index + 1))} ${label}`).join("  ");
  if (kind === "question")
    return options.length > 0 ? `${list}  ${dim("(a number, or your own words)")}` : ">";
  const always = tool ? `, [${bold("a")}]lways for ${tool.name}` : "";
  const plain = `[${bold("y")}]es, [${bold("n")}]o${always}`;
  const extra = options.length > 2 ? `, or ${list}` : "";
  return `allow? ${plain}${extra} ${dim("›")}`;
}

/** The terminal was closed: that is a no. */
const nobody: Reply = {
  answer: { decision: "deny", text: "the terminal was closed" } satisfies Answer,
  always: false,
};

function readLine(question: string, options: PromptOptions): Promise<string | undefined> {
  const { input, output, signal, onInterrupt } = options;
  return new Promise((resolve) => {
    const reader = createInterface({ input, output });
    const close = (): void => reader.close();
    reader.on("SIGINT", onInterrupt);
    let answer: string | undefined;
    reader.once("close", () => {
      signal.removeEventListener("abort", close);
      if (answer === undefined) output.write("\n");
      resolve(answer);
    });
    signal.addEventListener("abort", close, { once: true });
    reader.question(question, (line) => {
      answer = line;
      reader.close();
    });
  });
}
