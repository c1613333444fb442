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

test.each([
  ["edit", "edit", { path: "src/a.ts", edits: [] }, "Allow edit of src/a.ts?"],
  ["write", "edit", { file_path: "a\u202eb" }, "Allow write of a\\u202eb?"],
  ["patch", "edit", { paths: ["a", "b"] }, "Allow patch?"],
  ["edit", "edit", { path: "x".repeat(61) }, "Allow edit?"],
  ["bash", "execute", { command: "ls" }, "Allow this bash command?"],
  ["WebFetch", "fetch", { url: "https://x.test" }, "Allow WebFetch?"],
] as const)(
  "asks whether to allow the tool %s (%s) with the input %j",
  (name, kind, input, question) => {
    const text = `${name} ${JSON.stringify(input)}`;
    expect(lines(input, { text, tool: { name, kind, input } })[0]).toBe(`? ${question}`);
  },
);

test("shows a long command and a long text in full", () => {
  const command = Array.from({ length: 200 }, (_, index) => `echo ${index}`).join("\n");
  expect(lines({ command })).toHaveLength(201);
  expect(lines({ path: "a", content: command })).toHaveLength(203);
});

test("shows a command's control characters as escapes", () => {
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
])("shows an edit as removed and added lines: %j", (input, expected) => {
  expect(lines(input).slice(1)).toEqual(expected);
});

test("shows why the policy asks", () => {
  const reason = "/etc/x is outside the working directory";
  expect(lines({ path: "out/x" }, { reason }).slice(1)).toEqual(["  out/x", `  ${reason}`]);
});

test('shows the full scope of "always" in the prompt, or above the prompt if the scope is long', () => {
  const always = (text: string) => {
    const rule = { tool: "bash", kind: "execute", text } as const;
    const option = { id: "always", label: "Always", decision: "allow", rule } as const;
    const request = requestOf({ command: "ls" }, { options: [option] });
    return [...requestLines(request, plain).slice(2), promptFor(request, plain)];
  };
  expect(always('any "ls" command')).toEqual([
    'allow? [y]es, [n]o, [a]lways any "ls" command, [e]xplain ›',
  ]);
  const long = "edits of unprotected files in /home/user/project with edit";
  expect(always(long)).toEqual([
    `  a always: ${long}`,
    "allow? [y]es, [n]o, [a]lways, [e]xplain ›",
  ]);
});

test("numbers options only if there are options other than yes and no", () => {
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
