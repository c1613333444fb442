import { z } from "zod";
import type { EventDraft } from "../../../contracts/event-draft.ts";
import { EXIT_PLAN_TOOL } from "../requests.ts";
import { toolKind } from "./tools.ts";

/** Reads plans from Claude's tool calls: the to-do list, and the plan that plan mode creates. */
export class Plan {
  #text: string | undefined;

  /** The plan from plan mode, if there is one. */
  get text(): string | undefined {
    return this.#text;
  }

  /** Updates the plan from a tool call. Returns a draft if the call presents a plan or a to-do list. */
  onToolCall(tool: string, input: unknown): EventDraft[] {
    if (tool === "TodoWrite") return todoDrafts(input);
    const { plan, file_path: path = "", content } = Input.safeParse(input).data ?? {};
    if (tool === EXIT_PLAN_TOOL) {
      this.#text = plan ?? this.#text;
      return this.#text === undefined ? [] : [draft(this.#text)];
    }
    if (toolKind(tool) === "edit" && PLAN_FILE.test(path))
      this.#text = content ?? `The plan is in ${path}`;
    return [];
  }
}

/** Matches the path of the file that Claude writes its plan to since 2.1.325. */
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
