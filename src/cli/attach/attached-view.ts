import type { Halyard, Session } from "../../contracts/halyard.ts";
import { HalyardError } from "../../errors/error.ts";
import { requireTaken } from "../../halyard/turn-results.ts";
import type { Delivery } from "../../schema/delivery.ts";
import type { RequestEvent, StreamEvent } from "../../schema/event.ts";
import { openTurnOf } from "../../schema/session/open-turn.ts";
import { diffLines } from "../output/input-lines.ts";
import type { TextRenderer } from "../output/text.ts";
import { callLine } from "../output/tool-lines.ts";
import { explain, promptFor, unclear } from "../permission-prompt/prompt-permission.ts";
import { parseReply } from "../permission-prompt/reply.ts";
import { requestLines } from "../permission-prompt/request-lines.ts";
import type { Colors } from "../text/colors.ts";
import { wrapText } from "../text/wrap-words.ts";
import { lastChanges, lastEdits } from "./last-turn.ts";
import { type CommandName, meantCommand, parseTypedLine, slashHelp } from "./slash-command.ts";

/** The part of the console where an attached view shows text and asks questions. */
export interface ViewScreen {
  write(text: string): void;
  /** Replaces the message line with a question. The next line typed after the question is drawn is the answer. */
  ask(question: string): void;
  /** Replaces the question with the message line. */
  endQuestion(): void;
}

export interface AttachedViewOptions {
  readonly halyard: Halyard;
  readonly session: Session;
  readonly screen: ViewScreen;
  readonly renderer: TextRenderer;
  readonly colors: Colors;
  readonly columns: () => number;
  leave(): void;
  /** Hands the session over to the daemon and closes the view. Omitted if the daemon already runs the session. */
  readonly handOver?: (() => Promise<void>) | undefined;
}

/** Shows the events of a session, and handles typed messages, commands and answers. */
export class AttachedView {
  readonly #options: AttachedViewOptions;
  /** The open requests. The user is asked about the first one. */
  readonly #open: RequestEvent[] = [];

  constructor(options: AttachedViewOptions) {
    this.#options = options;
  }

  /** Shows an event and updates the open requests. */
  show(event: StreamEvent): void {
    const { screen, renderer } = this.#options;
    screen.write(renderer.render(event));
    if (event.type === "request" && event.verdict === "ask")
      this.#updateOpen(() => this.#open.push(event));
    if (event.type === "response")
      this.#updateOpen(() => this.#drop(({ requestId }) => requestId === event.requestId));
    if (event.type === "completion") this.#updateOpen(() => this.#drop(() => true));
  }

  /** Handles a line that was typed while no question was drawn. */
  async takeLine(line: string): Promise<void> {
    const typed = parseTypedLine(line);
    await this.#orShow(async () => {
      switch (typed.kind) {
        case "message":
          if (typed.text !== "") await this.#send(typed.text, "queue");
          return;
        case "command":
          return this.#command(typed.name, typed.rest);
        case "unknown":
          return this.#fail(
            `Unknown command /${typed.name}.${meantCommand(typed.name)} Type /help for the commands, or //${typed.name} to send it as text.`,
          );
      }
    });
  }

  /** Handles a line that was typed after a question was drawn. */
  async takeAnswer(line: string): Promise<void> {
    const [request] = this.#open;
    if (request === undefined) return this.#options.screen.endQuestion();
    const reply = parseReply(line, request);
    const { session, colors } = this.#options;
    if (reply?.kind === "answer") {
      const isAnswered = await this.#orShow(() => session.answer(request.requestId, reply.answer));
      if (!isAnswered) this.#ask();
      return;
    }
    this.note(...(reply ? explain(request, colors) : [unclear(request, colors)]));
    this.#ask();
  }

  /** Interrupts the running turn. Shows a note if no turn is running. */
  async interrupt(): Promise<void> {
    const { session } = this.#options;
    if (openTurnOf(session.info) === undefined)
      return this.note("Nothing to interrupt. Ctrl-D leaves, and the session continues.");
    this.note("Interrupting the turn.");
    await session.interrupt();
  }

  /**
   * Hands the session over to the daemon, if this process owns it, and closes the view. Shows an error if that fails.
   */
  async handOver(): Promise<void> {
    const { handOver, leave } = this.#options;
    await this.#orShow(handOver ?? leave);
  }

  async #command(name: CommandName, rest: string): Promise<void> {
    switch (name) {
      case "help":
        return this.note(
          ...slashHelp({
            ownsSession: this.#options.handOver !== undefined,
            columns: this.#options.columns(),
          }),
        );
      case "steer":
        return rest === "" ? this.#fail("Type the message after /steer.") : this.#send(rest, name);
      case "interrupt":
        return rest === "" ? this.interrupt() : this.#send(rest, name);
      case "model":
        return this.#changeModel(rest);
      case "diff":
        return this.#showDiffs();
      case "requests":
        return this.#showRequests();
      case "detach":
        return this.handOver();
      case "exit":
        return this.#options.leave();
    }
  }

  async #send(text: string, delivery: Delivery): Promise<void> {
    const turn = this.#options.session.send(text, { delivery });
    if ((await requireTaken(turn)) === "queued") this.note("Queued until the running turn ends.");
  }

  async #changeModel(model: string): Promise<void> {
    const { halyard, session } = this.#options;
    const { model: current } = session.info;
    if (model === "")
      return this.note(`Model: ${current?.id ?? "default"}. Type /model NAME to change it.`);
    await halyard.update(session.id, { model });
    this.note(`Model: ${model}, starting with the next message.`);
  }

  async #showDiffs(): Promise<void> {
    const { halyard, session, screen, colors } = this.#options;
    const changes = await lastChanges(halyard, session.info);
    if (changes?.diff) return void screen.write(`${diffLines(changes.diff, colors).join("\n")}\n`);
    if (changes) return this.note("No changes in this turn.");
    let shown = 0;
    for await (const { call, diff } of lastEdits(halyard, session.info)) {
      const title = call ? [callLine(call, { colors, columns: Number.POSITIVE_INFINITY })] : [];
      screen.write(`${[...title, ...diffLines(diff, colors)].join("\n")}\n`);
      shown++;
    }
    if (shown === 0)
      this.note(
        "No edits in this turn. Without checkpoints, changes made by commands are not listed.",
      );
  }

  #showRequests(): void {
    const { colors, screen } = this.#options;
    if (this.#open.length === 0) this.note("No open requests.");
    for (const request of this.#open) screen.write(`${requestLines(request, colors).join("\n")}\n`);
  }

  #drop(isAnswered: (request: RequestEvent) => boolean): void {
    this.#open.splice(0, this.#open.length, ...this.#open.filter((one) => !isAnswered(one)));
  }

  #updateOpen(update: () => void): void {
    const [before] = this.#open;
    update();
    if (this.#open[0] !== before) this.#ask();
  }

  #ask(): void {
    const { screen, colors } = this.#options;
    const [request] = this.#open;
    if (request) screen.ask(`  ${promptFor(request, colors)} `);
    else screen.endQuestion();
  }

  /** Runs an action. If it throws a `HalyardError`, shows the error and returns false. */
  async #orShow(action: () => Promise<void> | void): Promise<boolean> {
    try {
      await action();
      return true;
    } catch (error) {
      if (!(error instanceof HalyardError)) throw error;
      this.#fail(`${error.message} (${error.code})`);
      return false;
    }
  }

  #fail(text: string): void {
    const { screen, colors, columns } = this.#options;
    screen.write(`${wrapText(colors.red(`✗ ${text}`), columns(), "  ")}\n`);
  }

  /** Shows lines that are not events of the session. */
  note(...lines: readonly string[]): void {
    const { screen, colors, columns } = this.#options;
    const text = lines.map((line) => colors.dim(line)).join("\n");
    screen.write(`${wrapText(text, columns(), "  ")}\n`);
  }
}
