import picocolors from "picocolors";
import { expect, test } from "vitest";
import { RequestEvent } from "../../schema/event.ts";
import { promptFor } from "./prompt-permission.ts";
import { requestLines } from "./request-lines.ts";

const plain = picocolors.createColors(false);

function lines(input: unknown, changes: Partial<RequestEvent> = {}): string[] {
  return requestLines(requestOf(input, changes), plain);
}

function requestOf(input: unknown, changes: Partial<RequestEvent>): RequestEvent {
  return RequestEvent.parse({
    type: "request",
    requestId: "req_0123456789abcdef",
    nativeId: "1",
    kind: "permission",
    text: `bash ${JSON.stringify(input)}`,
    tool: { name: "bash", kind: "execute", input },
    options: [],
    verdict: "ask",
    ...changes,
  });
}

test("a long command and a long text are shown in full", () => {
  const command = Array.from({ length: 200 }, (_, index) => `echo ${index}`).join("\n");
  expect(lines({ command })).toHaveLength(201);
  expect(lines({ path: "a", content: command })).toHaveLength(203);
});

test("a command cannot hide behind control characters", () => {
  const [, shown = ""] = lines({ command: "rm -rf ~ #\rls\u001b[2K\u202e\u200b\u{e0041}" });
  expect(shown).toBe("  rm -rf ~ #\\rls\\e[2K\\u202e\\u200b\\u{e0041}");
});

test.each([
  [{ path: "a", old_string: "one\ntwo", new_string: "" }, ["  path: a", "  - one", "  - two"]],
  [{ file: "a", oldText: "", newText: "new" }, ["  file: a", "  + new"]],
  [{ edits: [{ oldText: "x", newText: "y" }] }, ["  edits:", "    - x", "    + y"]],
  [
    { path: "a", diff: "@@ -1 +1 @@\n-x\n+y" },
    ["  path: a", "  diff:", "    @@ -1 +1 @@", "    -x", "    +y"],
  ],
])("an edit is shown as what it removes and adds: %j", (input, expected) => {
  expect(lines(input).slice(1)).toEqual(expected);
});

test("the reason for which a policy asks is shown", () => {
  const reason = "/etc/x is outside the working directory";
  expect(lines({ path: "out/x" }, { reason }).slice(1)).toEqual(["  out/x", `  ${reason}`]);
});

test("the scope of an always is shown in full, in the prompt or above it", () => {
  const always = (text: string) => {
    const rule = { tool: "bash", kind: "execute", text } as const;
    const option = { id: "always", label: "Always", decision: "allow", rule } as const;
    const request = requestOf({ command: "ls" }, { options: [option] });
    return [...requestLines(request, plain).slice(2), promptFor(request, plain)];
  };
  expect(always('any "ls" command')).toEqual([
    'allow? [y]es, [n]o, [a]lways any "ls" command, [e]xplain ›',
  ]);
  const long = "any edit of unprotected files in /home/somebody/project";
  expect(always(long)).toEqual([`  a always ${long}`, "allow? [y]es, [n]o, [a]lways, [e]xplain ›"]);
});

test("options have numbers only if there are more than yes and no", () => {
  const options = (["Allow", "For this session", "Deny"] as const).map((label) => ({
    id: label,
    label,
    decision: label === "Deny" ? ("deny" as const) : ("allow" as const),
  }));
  expect(lines({ command: "ls" }, { options }).slice(2)).toEqual([
    "  1 Allow",
    "  2 For this session",
    "  3 Deny",
  ]);
  expect(lines({ command: "ls" }, { options: options.slice(1) })).toHaveLength(2);
});
