import { z } from "zod";
import type { EventDraft } from "../../core/draft.ts";
import { LEAVE_PLAN } from "./asks.ts";
import { toolKind } from "./tools.ts";

/** What Claude means to do, as it says by the tools it uses: a list it keeps, or the plan of its plan mode. */
export class Plan {
  #text: string | undefined;

  /** The plan of the plan mode. */
  get text(): string | undefined {
    return this.#text;
  }

  hear(tool: string, input: unknown): EventDraft[] {
    if (tool === "TodoWrite") return todoDrafts(input);
    const { plan, file_path: path = "", content } = Input.safeParse(input).data ?? {};
    if (tool === LEAVE_PLAN) {
      this.#text = plan ?? this.#text;
      return this.#text === undefined ? [] : [draft(this.#text)];
    }
    if (toolKind(tool) === "edit" && PLAN_FILE.test(path))
      this.#text = content ?? `The plan is in ${path}`;
    return [];
  }
}

/** Where Claude writes its plan since 2.1.325. */
const PLAN_FILE = /[/\\]plans[/\\][^/\\]+\.md$/;

const Input = z.looseObject({
  plan: z.string().optional(),
  file_path: z.string().optional(),
  content: z.string().optional(),
});

const Todos = z.looseObject({
  todos: z.array(z.looseObject({ content: z.string(), status: z.string() })),
});

function todoDrafts(input: unknown): EventDraft[] {
  const { todos = [] } = Todos.safeParse(input).data ?? {};
  const lines = todos.map(({ content, status }) => `[${marks[status] ?? " "}] ${content}`);
  return lines.length === 0 ? [] : [draft(lines.join("\n"))];
}

const marks: Readonly<Record<string, string>> = { completed: "x", in_progress: ">" };

function draft(text: string): EventDraft {
  return { type: "system", subtype: "plan", text };
}
