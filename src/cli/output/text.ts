import type {
  Channel,
  ErrorEvent,
  RequestEvent,
  StreamEvent,
  ToolCallEvent,
  ToolResultEvent,
} from "../../schema/event.ts";
import { PermissionLines } from "../permission-prompt/permission-lines.ts";
import { cleanPiece, cleanText } from "../text/clean.ts";
import type { Colors } from "../text/colors.ts";
import { wrapText } from "../text/wrap-words.ts";
import { MarkdownStream } from "./markdown.ts";
import { Page } from "./page.ts";
import { summary } from "./summary.ts";
import { systemNote } from "./system-note.ts";
import { callLine, isShownInFull, type LineStyle, resultLines } from "./tool-lines.ts";

export interface TextOptions {
  readonly colors: Colors;
  readonly columns: () => number;
  /** True to also show the user's messages, checkpoints, and when the session starts, is detached or ends. */
  readonly echo: boolean;
  /** True to render Markdown in messages. Defaults to false. */
  readonly markdown?: boolean;
}

/** Renders the events of a session as text. Each call returns the text to append for one event. */
export class TextRenderer {
  readonly #options: TextOptions;
  readonly #page = new Page();
  /** Messages whose deltas have been shown, so that the complete message is not shown again. */
  readonly #streamed = new Set<string>();
  readonly #calls = new Map<string, ToolCallEvent>();
  readonly #permissions: PermissionLines;
  readonly #markdown: MarkdownStream | undefined;
  /** The text message whose deltas are being shown. */
  #streaming: string | undefined;
  #lastCall: string | undefined;
  /** The last error event. Shown before the next event, unless that is a completion with an error and `echo` is false. */
  #heldError: ErrorEvent | undefined;

  constructor(options: TextOptions) {
    this.#options = options;
    this.#permissions = new PermissionLines(options.colors);
    this.#markdown = options.markdown ? new MarkdownStream(options) : undefined;
  }

  /** True if the text so far is empty or ends with a line break. */
  get atLineStart(): boolean {
    return this.#page.atLineStart;
  }

  /** Returns the text to append for an event. */
  render(event: StreamEvent): string {
    const { echo } = this.#options;
    const held = this.#heldError;
    this.#heldError = undefined;
    const isReported = event.type === "completion" && event.outcome.error && !echo;
    if (held && !isReported)
      this.#note("error", this.#colors.red(`✗ ${cleanText(held.message)} (${held.code})`));
    const isMore = event.type === "delta" && event.messageId === this.#streaming;
    if (!isMore) this.#page.flow(this.#flushMarkdown());
    this.#add(event);
    return this.#page.take();
  }

  #add(event: StreamEvent): void {
    switch (event.type) {
      case "system":
        this.#note(event.subtype, systemNote(event, this.#colors, this.#options));
        break;
      case "delta":
        this.#streamed.add(`${event.channel}:${event.messageId}`);
        this.#addMessage(event.channel, event.messageId, cleanPiece(event.text));
        break;
      case "message":
        if (event.role === "user") break; // `systemNote` shows the user's messages
        if (this.#streamed.delete(`${event.channel}:${event.messageId}`)) break;
        this.#addMessage(event.channel, event.messageId, cleanText(event.text));
        if (event.channel === "text") this.#page.flow(this.#flushMarkdown());
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
        this.#toolLines(this.#permissions.response(event));
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

  #addMessage(channel: Channel, messageId: string, text: string): void {
    this.#page.section(`${channel}:${messageId}`);
    this.#streaming = channel === "text" ? messageId : undefined;
    if (channel === "text") this.#page.flow(this.#markdown?.push(text) ?? text);
    else this.#page.flow(text, { first: "∴ ", rest: "  ", paint: this.#colors.dim });
  }

  /** Renders and returns the rest of a streamed message, because other output follows. */
  #flushMarkdown(): string {
    return this.#markdown?.flush() ?? "";
  }

  #call(event: ToolCallEvent): void {
    this.#calls.set(event.callId, event);
    this.#lastCall = event.callId;
    this.#toolLines([callLine(event, this.#style)]);
  }

  #request(event: RequestEvent): void {
    const call = event.callId === this.#lastCall ? this.#calls.get(event.callId ?? "") : undefined;
    const isShown = call !== undefined && isShownInFull(call, this.#style);
    this.#toolLines(this.#permissions.request(event, { isShown }));
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

  /** Adds a note. Consecutive notes of one kind form a section. */
  #note(kind: string, text: string | undefined): void {
    if (text === undefined) return;
    this.#page.section(`note:${kind}`);
    const { markdown, columns } = this.#options;
    for (const line of (markdown ? wrapText(text, columns(), "  ") : text).split("\n"))
      this.#page.line(line);
  }

  get #colors(): Colors {
    return this.#options.colors;
  }

  get #style(): LineStyle {
    return { colors: this.#options.colors, columns: this.#options.columns() };
  }
}
