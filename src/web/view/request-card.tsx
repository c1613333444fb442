import { useRef, useState } from "preact/hooks";
import type { RequestEvent, ResponseEvent } from "../../schema/event.ts";
import type { Answer } from "../../schema/permission.ts";
import { toolArgument } from "../../schema/tool-argument.ts";
import { requestLine } from "../state/activity.ts";
import { cleanText, visibleText } from "../text/clean.ts";
import { ToolInput } from "./content/tool.tsx";
import { useApp } from "./context.ts";

interface Props {
  readonly sessionId: string;
  readonly request: RequestEvent;
  readonly response: ResponseEvent | undefined;
}

/** Shows a request and the controls that answer it. After the request is answered, shows only the answer. */
export function RequestCard({ sessionId, request, response }: Props) {
  const { isReadOnly } = useApp();
  if (response) return <Answered request={request} response={response} />;
  const path = editedPath(request);
  return (
    <section class="card" aria-label="Request">
      <h2 class="card-title">
        {headline(request)}
        {path !== "" && <code>{visibleText(path)}</code>}
      </h2>
      {request.tool && (
        <div class="card-body">
          <ToolInput input={request.tool.input} kind={request.tool.kind} isShort={path !== ""} />
        </div>
      )}
      {request.reason !== undefined && <p class="note">{cleanText(request.reason)}</p>}
      {isReadOnly ? (
        <p class="note">Waiting for an answer</p>
      ) : request.kind === "question" ? (
        <QuestionKeys sessionId={sessionId} request={request} />
      ) : request.kind === "budget" ? (
        <BudgetKeys sessionId={sessionId} request={request} />
      ) : (
        <PermissionKeys sessionId={sessionId} request={request} />
      )}
    </section>
  );
}

/** Returns the path of the file that the request would edit, or an empty string. */
function editedPath({ tool }: RequestEvent): string {
  if (tool?.kind !== "edit" || typeof tool.input !== "object" || tool.input === null) return "";
  const path = toolArgument(tool.input);
  return Object.values(tool.input).includes(path) ? path : "";
}

function headline({ kind, text, tool }: RequestEvent): string {
  if (kind === "question" || !tool) return cleanText(text);
  if (tool.kind === "execute") return "Wants to run";
  if (tool.kind === "edit") return "Wants to edit ";
  return `Wants to use ${tool.name}`;
}

function PermissionKeys({ sessionId, request }: Omit<Props, "response">) {
  const app = useApp();
  const { requestId, options } = request;
  const [isDenying, setDenying] = useState(false);
  const [isSent, setSent] = useState(false);
  const answer = (given: Answer) => {
    setSent(true);
    void app.answer(sessionId, requestId, given).then((isTaken) => setSent(isTaken));
  };
  const optionOf = (decision: "allow" | "deny", hasRule: boolean) =>
    options.find(
      (option) => option.decision === decision && (option.rule !== undefined) === hasRule,
    );
  const once = optionOf("allow", false);
  const always = optionOf("allow", true);
  const deny = optionOf("deny", false);
  if (isDenying)
    return (
      <ReasonField
        onCancel={() => setDenying(false)}
        onSubmit={(text) =>
          answer({
            decision: "deny",
            ...(deny && { optionId: deny.id }),
            ...(text !== "" && { text }),
          })
        }
      />
    );
  return (
    <div class="row card-keys">
      <button
        type="button"
        class="primary"
        data-key="a"
        disabled={isSent}
        onClick={() => answer({ decision: "allow", ...(once && { optionId: once.id }) })}
      >
        Allow <kbd>a</kbd>
      </button>
      {always && (
        <button
          type="button"
          data-key="A"
          disabled={isSent}
          title={always.rule?.text}
          onClick={() => answer({ decision: "allow", optionId: always.id })}
        >
          {alwaysLabel(always.rule)} <kbd>A</kbd>
        </button>
      )}
      <button type="button" data-key="d" disabled={isSent} onClick={() => setDenying(true)}>
        Deny … <kbd>d</kbd>
      </button>
    </div>
  );
}

/** Shows one button per option of a budget request: extend the budget once, remove its limit, or end the turn. */
function BudgetKeys({ sessionId, request }: Omit<Props, "response">) {
  const app = useApp();
  const [isSent, setSent] = useState(false);
  const keys = ["a", "A", "d"] as const;
  return (
    <div class="row wrap card-keys">
      {request.options.map(({ id, label, decision }, index) => (
        <button
          type="button"
          key={id}
          class={index === 0 ? "primary" : undefined}
          data-key={keys[index]}
          disabled={isSent}
          onClick={() => {
            setSent(true);
            const answer = { decision, optionId: id };
            void app.answer(sessionId, request.requestId, answer).then(setSent);
          }}
        >
          {label} <kbd>{keys[index]}</kbd>
        </button>
      ))}
    </div>
  );
}

function alwaysLabel(rule: RequestEvent["options"][number]["rule"]): string {
  const what = rule?.program ?? rule?.host;
  if (what === undefined) return "Always";
  return what.length > LONG_NAME ? "Always for this command" : `Always for ${what}`;
}

/** The maximum length of a name on the button. A longer name is a complete command, which the card already shows. */
const LONG_NAME = 24;

function ReasonField({ onSubmit, onCancel }: { onSubmit(text: string): void; onCancel(): void }) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <form
      class="row card-keys"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(field.current?.value.trim() ?? "");
      }}
    >
      <input
        ref={(element) => {
          field.current = element;
          element?.focus();
        }}
        placeholder="Reason for the agent (optional)"
        aria-label="Reason for the denial"
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          onCancel();
        }}
      />
      <button type="submit" class="danger">
        Deny
      </button>
      <button type="button" class="quiet" onClick={onCancel}>
        Back
      </button>
    </form>
  );
}

function QuestionKeys({ sessionId, request }: Omit<Props, "response">) {
  const app = useApp();
  const [text, setText] = useState("");
  const answer = (given: Answer) => void app.answer(sessionId, request.requestId, given);
  return (
    <form
      class="card-keys question"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== "") answer({ decision: "allow", text: text.trim() });
      }}
    >
      <div class="row wrap">
        {request.options.map(({ id, label, decision }) => (
          <button type="button" key={id} onClick={() => answer({ decision, optionId: id })}>
            {cleanText(label)}
          </button>
        ))}
      </div>
      <div class="row">
        <input
          aria-label="Answer"
          placeholder="Answer"
          data-key="a"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <button type="submit" class="primary" disabled={text.trim() === ""}>
          Answer
        </button>
      </div>
    </form>
  );
}

function Answered({ request, response }: { request: RequestEvent; response: ResponseEvent }) {
  const who = {
    user: "",
    policy: " by policy",
    rule: " by rule",
    timeout: " after the time limit",
    runtime: " by the runtime",
  };
  const isQuestion = request.kind !== "permission";
  const verb = isQuestion ? "Answered" : response.decision === "allow" ? "Allowed" : "Denied";
  const option = request.options.find(({ id }) => id === response.optionId);
  const detail = response.text ?? (isQuestion ? option?.label : response.rule?.text);
  return (
    <p class="note answered">
      <span class={response.decision === "deny" ? "bad" : "good"}>
        {response.decision === "deny" ? "✗" : "✓"} {verb}
        {who[response.by]}
      </span>
      {": "}
      {isQuestion ? cleanText(request.text) : requestLine(request).replace(/^Wants to /, "")}
      {detail !== undefined && ` — ${cleanText(detail)}`}
    </p>
  );
}
