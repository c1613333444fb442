import type {
  Channel,
  ErrorEvent,
  RequestEvent,
  StreamEvent,
  ToolCallEvent,
  ToolResultEvent,
} from "../../schema/event.ts";
import { cleanPiece, cleanText } from "./clean.ts";
import type { Colors } from "./colors.ts";
import { MarkdownStream } from "./markdown.ts";
import { Page } from "./page.ts";
import { PermissionLines } from "./permission-lines.ts";
import { summary } from "./summary.ts";
import { systemNote } from "./system-note.ts";
import { callLine, isShownWhole, type LineStyle, resultLines } from "./tool-lines.ts";

export interface TextOptions {
  readonly colors: Colors;
  readonly columns: () => number;
  /** Show the user's messages and the session's life too: for a session that is looked at from outside. */
  readonly echo: boolean;
  /** Draw markdown in messages; defaults to false. */
  readonly markdown?: boolean;
}

/** Tells a session's events to people: what to add to the screen for each of them. */
export class TextRenderer {
  readonly #options: TextOptions;
  readonly #page = new Page();
  /** Messages shown piece by piece, whose whole text is known already. */
  readonly #streamed = new Set<string>();
  readonly #calls = new Map<string, ToolCallEvent>();
  readonly #permissions: PermissionLines;
  readonly #markdown: MarkdownStream | undefined;
  /** The message that is being written. */
  #speaking: string | undefined;
  #lastCall: string | undefined;
  /** Shown unless it turns out to be what ended the turn. */
  #heldError: ErrorEvent | undefined;

  constructor(options: TextOptions) {
    this.#options = options;
    this.#permissions = new PermissionLines(options.colors);
    this.#markdown = options.markdown ? new MarkdownStream(options) : undefined;
  }

  /** Whether the cursor is where a line begins. */
  get atLineStart(): boolean {
    return this.#page.atLineStart;
  }

  render(event: StreamEvent): string {
    const { echo } = this.#options;
    const held = this.#heldError;
    this.#heldError = undefined;
    const isReported = event.type === "completion" && event.outcome.error && !echo;
    if (held && !isReported)
      this.#note("error", this.#colors.red(`✗ ${cleanText(held.message)} (${held.code})`));
    const isMore = event.type === "delta" && event.messageId === this.#speaking;
    if (!isMore) this.#page.flow(this.#rest());
    this.#tell(event);
    return this.#page.take();
  }

  #tell(event: StreamEvent): void {
    switch (event.type) {
      case "system":
        this.#note(event.subtype, systemNote(event, this.#colors, this.#options));
        break;
      case "delta":
        this.#streamed.add(`${event.channel}:${event.messageId}`);
        this.#speak(event.channel, event.messageId, cleanPiece(event.text));
        break;
      case "message":
        if (event.role === "user") break; // `turn_started` and `turn_steered` show it
        if (this.#streamed.delete(`${event.channel}:${event.messageId}`)) break;
        this.#speak(event.channel, event.messageId, cleanText(event.text));
        if (event.channel === "text") this.#page.flow(this.#rest());
        break;
      case "tool_call":
        this.#call(event);
        break;
      case "tool_result":
        this.#result(event);
        break;
      case "request":
        this.#request(event);
        break;
      case "response":
        this.#toolLines(this.#permissions.answered(event));
        break;
      case "completion":
        this.#page.section("completion");
        this.#page.line(summary(event.outcome, event.sessionId, this.#colors));
        if (event.outcome.status === "completed")
          for (const line of this.#permissions.advice()) this.#page.line(line);
        break;
      case "error":
        this.#heldError = event;
        break;
    }
  }

  #speak(channel: Channel, messageId: string, text: string): void {
    this.#page.section(`${channel}:${messageId}`);
    this.#speaking = channel === "text" ? messageId : undefined;
    if (channel === "text") this.#page.flow(this.#markdown?.push(text) ?? text);
    else this.#page.flow(text, { first: "∴ ", rest: "  ", paint: this.#colors.dim });
  }

  /** The rest of a message that other output follows. */
  #rest(): string {
    return this.#markdown?.flush() ?? "";
  }

  #call(event: ToolCallEvent): void {
    this.#calls.set(event.callId, event);
    this.#lastCall = event.callId;
    this.#toolLines([callLine(event, this.#style)]);
  }

  #request(event: RequestEvent): void {
    const call = event.callId === this.#lastCall ? this.#calls.get(event.callId ?? "") : undefined;
    const isShown = call !== undefined && isShownWhole(call, this.#style);
    this.#toolLines(this.#permissions.asked(event, { isShown }));
  }

  #result(event: ToolResultEvent): void {
    const call = this.#calls.get(event.callId);
    const isLate = this.#lastCall !== event.callId;
    this.#calls.delete(event.callId);
    this.#lastCall = undefined;
    if (this.#permissions.isDenied(event.callId) && event.isError) return;
    const title = call && isLate ? [callLine(call, this.#style).replace("→", "←")] : [];
    this.#toolLines([...title, ...resultLines(event, call, this.#style)]);
  }

  #toolLines(lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.#page.section("tools");
    for (const line of lines) this.#page.line(line);
  }

  /** Notes of one kind stand together. */
  #note(kind: string, text: string | undefined): void {
    if (text === undefined) return;
    this.#page.section(`note:${kind}`);
    this.#page.line(text);
  }

  get #colors(): Colors {
    return this.#options.colors;
  }

  get #style(): LineStyle {
    return { colors: this.#options.colors, columns: this.#options.columns() };
  }
}
