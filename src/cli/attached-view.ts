import { HalyardError } from "../core/error.ts";
import type { Session } from "../core/halyard.ts";
import { requireTaken } from "../core/turn-results.ts";
import type { Delivery } from "../schema/delivery.ts";
import type { RequestEvent, StreamEvent } from "../schema/event.ts";
import type { Colors } from "./output/colors.ts";
import { promptFor } from "./output/prompt-permission.ts";
import { parseReply } from "./output/reply.ts";
import type { TextRenderer } from "./output/text.ts";

/** What an attached view shows itself on. */
export interface ViewScreen {
  write(text: string): void;
  ask(prompt: string): void;
}

export interface AttachedViewOptions {
  readonly session: Session;
  readonly screen: ViewScreen;
  readonly renderer: TextRenderer;
  readonly colors: Colors;
}

/** A session as somebody sees it who can also talk to it: events in, lines out. */
export class AttachedView {
  readonly #options: AttachedViewOptions;
  /** Requests that wait for an answer, the one that is asked first. */
  readonly #open: RequestEvent[] = [];

  constructor(options: AttachedViewOptions) {
    this.#options = options;
  }

  show(event: StreamEvent): void {
    const { screen, renderer } = this.#options;
    screen.write(renderer.render(event));
    if (event.type === "request" && event.verdict === "ask") this.#change(() => this.#add(event));
    if (event.type === "response")
      this.#change(() => this.#drop(({ requestId }) => requestId === event.requestId));
    if (event.type === "completion") this.#change(() => this.#drop(() => true));
  }

  /** What somebody typed: an answer where one is waited for, otherwise a message. */
  async take(line: string): Promise<void> {
    const text = line.trim();
    const [request] = this.#open;
    try {
      if (request) await this.#answer(request, text);
      else if (text !== "") await this.#send(text);
    } catch (error) {
      if (!(error instanceof HalyardError)) throw error;
      this.#note(this.#options.colors.red(`✗ ${error.message} (${error.code})`));
    }
  }

  /** Ends the turn under way. */
  async interrupt(): Promise<void> {
    const { session } = this.#options;
    if (session.info.turn === undefined)
      return this.#note("nothing to interrupt; Ctrl-D leaves, and the session goes on");
    this.#note("interrupting the turn");
    await session.interrupt();
  }

  async #answer(request: RequestEvent, text: string): Promise<void> {
    const reply = parseReply(text, request);
    if (reply) await this.#options.session.answer(request.requestId, reply.answer);
    else this.#ask();
  }

  async #send(text: string): Promise<void> {
    const { session } = this.#options;
    const [, command, rest = ""] = /^\/(steer|interrupt)\b\s*(.*)$/s.exec(text) ?? [];
    if (command === "interrupt" && rest === "") return this.interrupt();
    const delivery: Delivery = command === "steer" || command === "interrupt" ? command : "queue";
    const turn = session.send(command ? rest : text, { delivery });
    if ((await requireTaken(turn)) === "queued")
      this.#note("queued: it waits for the turn under way");
  }

  #add(request: RequestEvent): void {
    this.#open.push(request);
  }

  #drop(isOver: (request: RequestEvent) => boolean): void {
    this.#open.splice(0, this.#open.length, ...this.#open.filter((one) => !isOver(one)));
  }

  #change(how: () => void): void {
    const [before] = this.#open;
    how();
    if (this.#open[0] !== before) this.#ask();
  }

  #ask(): void {
    const { screen, colors } = this.#options;
    const [request] = this.#open;
    screen.ask(request ? `  ${promptFor(request, colors)} ` : "› ");
  }

  #note(text: string): void {
    const { screen, colors } = this.#options;
    screen.write(`${colors.dim(text)}\n`);
  }
}
