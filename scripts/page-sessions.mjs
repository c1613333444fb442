import { newRequestId, newTurnId } from "../dist/errors/require-id.js";
import { project } from "../dist/log/projection.js";
import { sampleProcess, sampleSession } from "../dist/testing/sample-session.js";

/**
 * Writes the sessions for the pictures in docs/page.md into a store. Returns the id of the last one. Each step of a turn is
 * `{ say }`, `{ think }`, `{ limit }`, `{ question, options }` or `{ tool: [name, kind, input], out, diff, exit, ask }`.
 *
 * @param {import("../dist/contracts/store.js").Store} store
 * @param {Date} now
 */
export async function writeSessions(store, now) {
  for (const [index, [name, runtime, say]] of ended.entries()) {
    const steps = [{ say }];
    const cost = {
      inputTokens: 20_000 * (index + 1),
      outputTokens: 1_400,
      costUsd: 0.07 * (index + 1),
    };
    const turns = [{ prompt: say, steps, usage: cost }];
    await write(
      store,
      { name, runtime, state: "stopped" },
      { turns, now, minutes: 90 + index * 700 },
    );
  }
  const failed = {
    prompt: "Why are the e2e tests flaky?",
    steps: [],
    error: "429: the model is overloaded",
  };
  await write(store, { name: "e2e", runtime: "opencode" }, { turns: [failed], now, minutes: 48 });
  await write(store, { name: "lint", runtime: "codex" }, { turns: [lint], now, minutes: 2 });
  await write(store, { name: "docs", runtime: "pi" }, { turns: [docs], now, minutes: 3 });
  const model = { id: "claude-sonnet-5" };
  return write(
    store,
    { name: "api", runtime: "claude", model },
    { turns: [fix, publish], now, minutes: 4 },
  );
}

/**
 * Writes sessions of the last weeks and the limits of two accounts, for the picture of the usage page.
 *
 * @param {import("../dist/contracts/store.js").Store} store
 * @param {Date} now
 */
export async function writeUsage(store, now) {
  const runtimes = ["claude", "codex", "claude", "pi", "opencode", "codex", "claude", "droid"];
  const projects = ["shop", "shop", "blog", "shop", "infra"];
  for (let day = 1; day < 29; day++) {
    if (day % 7 === 3) continue; // leaves one day per week without sessions
    const size = 1 + ((day * 37) % 11);
    const usage = {
      inputTokens: 31_000 * size,
      outputTokens: 2_100 * size,
      costUsd: 0.14 * size,
    };
    const turns = [{ prompt: "Continue", steps: [{ say: "Done." }], usage, ms: 210_000 * size }];
    const runtime = runtimes[day % runtimes.length];
    const cwd = `/home/me/${projects[day % projects.length]}`;
    await write(
      store,
      { name: `day-${day}`, runtime, cwd, state: "stopped" },
      { turns, now, minutes: day * 1440 + 30 },
    );
  }
  const after = (hours) => new Date(now.getTime() + hours * 3_600_000).toISOString();
  const limits = {
    claude: [
      { window: "five_hour", usedPercent: 62, resetsAt: after(2.2) },
      { window: "seven_day", usedPercent: 38, resetsAt: after(75) },
    ],
    codex: [
      { window: "5h", usedPercent: 91, resetsAt: after(0.7) },
      { window: "7d", usedPercent: 54, resetsAt: after(121) },
    ],
  };
  for (const [runtime, windows] of Object.entries(limits)) {
    const steps = [{ limit: { status: "ok", windows } }, { say: "Done." }];
    const usage = { inputTokens: 9_000, outputTokens: 800, costUsd: 0.04 };
    const turns = [{ prompt: "Continue", steps, usage }];
    await write(store, { name: runtime, runtime, state: "stopped" }, { turns, now, minutes: 12 });
  }
}

const ended = [
  ["deps", "droid", "Updated 14 packages; the build and the tests pass."],
  ["changelog", "codex", "Wrote the changelog of 2.1.0."],
  ["types", "claude", "Removed the last any."],
  ["ci-cache", "pi", "CI takes 4 minutes instead of 11."],
  ["i18n", "opencode", "German and French are complete."],
  ["schema", "claude", "The migration runs in both directions."],
];

const total = `--- a/src/cart/total.ts
+++ b/src/cart/total.ts
@@ -9,9 +9,14 @@ export interface Line {
 /** Adds up the lines of a cart. */
 export function total(lines: readonly Line[], coupon?: Coupon): Money {
-  let sum = 0;
-  for (const line of lines) sum += line.price * line.count;
+  let cents = 0;
+  for (const line of lines) cents += line.cents * line.count;
   if (coupon) {
-    sum = sum - sum * coupon.percent;
+    cents = Math.round(cents * (1 - coupon.percent / 100));
   }
-  return sum;
+  return { cents, currency: lines[0]?.currency ?? "EUR" };
 }
+
+/** Formats an amount as people write it. */
+export function format({ cents, currency }: Money): string {
+  return (cents / 100).toLocaleString("en", { style: "currency", currency });
+}
`;
const test = `--- a/test/cart.test.ts
+++ b/test/cart.test.ts
@@ -22,3 +22,7 @@ test("adds up lines", () => {
 });
 
-test.todo("applies a coupon");
+test("applies a coupon in percent", () => {
+  expect(total([line(10, 3)], { percent: 15 })).toEqual(euro(25.5));
+});
+
+test("does not lose a cent", () => {
`;
const report = [...Array(212).keys()].map((index) => ` ✓ test/part-${index}.test.ts`).join("\n");

const fix = {
  prompt:
    "The totals in the cart are off by a cent sometimes, and coupons do nothing. Make the tests pass.",
  steps: [
    { think: "The cart adds floating point prices. I run the tests first.", ms: 6200 },
    { tool: ["Read", "read", { file_path: "src/cart/total.ts" }], out: "line\n".repeat(48) },
    { tool: ["Bash", "execute", { command: "npm test" }], out: report, exit: 1, ms: 8100 },
    {
      say: "Two bugs. Prices are added as **floating point numbers**, so `0.1 + 0.2` is not `0.3`, and the coupon treats `15` as 1500 %. I will count in cents.",
    },
    { tool: ["Edit", "edit", { file_path: "src/cart/total.ts" }], diff: total, ms: 210 },
    { tool: ["Edit", "edit", { file_path: "test/cart.test.ts" }], diff: test, ms: 180 },
    { tool: ["Bash", "execute", { command: "npm test" }], out: report, exit: 0, ms: 7900 },
    {
      say: '**All 320 tests pass.** The amount is formatted at the edge only:\n\n```ts\n// never earlier: a formatted amount cannot be added\nreturn (cents / 100).toLocaleString("en", { style: "currency", currency });\n```\n\nA cart with mixed currencies still takes the first one, which deserves its own change.',
    },
  ],
  usage: { inputTokens: 48_210, outputTokens: 2_310, costUsd: 0.21 },
};
const publish = {
  prompt: "Good. Bump the version and publish it.",
  steps: [
    {
      tool: ["Bash", "execute", { command: "npm version minor" }],
      out: "v2.2.0",
      exit: 0,
      ms: 900,
    },
    { tool: ["Bash", "execute", { command: "npm publish --access public" }], ask: true },
  ],
};
const lint = {
  prompt: "Fix the lint errors",
  steps: [{ tool: ["apply_patch", "edit", { path: "src/orders/refund.ts" }] }],
};
const docs = {
  prompt: "Rewrite the install page",
  steps: [{ question: "Which page should stay?", options: ["docs/install.md", "docs/setup.md"] }],
};

/** Writes one session and returns its id. A turn ends only if it has a `usage` or an `error`. */
async function write(store, changes, { turns, now, minutes }) {
  let time = now.getTime() - minutes * 60_000;
  const at = () => new Date(time).toISOString();
  const { state, ...rest } = changes;
  let info = sampleSession({
    cwd: "/home/me/shop",
    createdAt: at(),
    updatedAt: at(),
    resumable: true,
    ...rest,
  });
  const writer = await store.create(info, sampleProcess(1));
  const put = async (turnId, ...events) => {
    const firstSeq = info.lastSeq + 1;
    info = project(info, events, { at: at(), turnId });
    await writer.append({ firstSeq, at: at(), turnId, events, info });
  };
  await put(undefined, { type: "system", subtype: "session_ready" });
  for (const { prompt, steps, usage, error, ms = 31_400 } of turns) {
    const turnId = newTurnId();
    await put(turnId, { type: "system", subtype: "turn_started", text: prompt });
    for (const [index, step] of steps.entries()) {
      for (const event of eventsOf(step, `${turnId}.${index}`)) {
        await put(turnId, event);
        time += step.ms ?? 40;
      }
    }
    const outcome = { text: steps.at(-1)?.say ?? "", stopReason: "end_turn", durationMs: ms };
    const none = { inputTokens: 0, outputTokens: 0 };
    if (usage)
      await put(turnId, {
        type: "completion",
        outcome: { ...outcome, status: "completed", usage },
      });
    if (error) {
      const reason = { code: "agent_failed", message: error, retryable: false };
      const failure = { ...outcome, status: "failed", usage: none, error: reason };
      await put(turnId, { type: "completion", outcome: failure });
    }
  }
  if (state) await put(undefined, { type: "system", subtype: "session_stopped", data: { state } });
  return info.id;
}

function eventsOf(step, id) {
  const message = { type: "message", role: "assistant", messageId: id };
  if (step.say) return [{ ...message, channel: "text", text: step.say }];
  if (step.limit) return [{ type: "system", subtype: "limit", data: step.limit }];
  if (step.think) {
    const delta = { type: "delta", channel: "reasoning", messageId: id, text: "" };
    return [delta, delta, { ...message, channel: "reasoning", text: step.think }];
  }
  const request = { type: "request", requestId: newRequestId(), nativeId: id, verdict: "ask" };
  if (step.question) {
    const options = step.options.map((label) => ({ id: label, label, decision: "allow" }));
    return [{ ...request, kind: "question", text: step.question, options }];
  }
  const [name, kind, input] = step.tool;
  const call = { type: "tool_call", callId: id, name, kind, input };
  if (step.ask) {
    const { command } = input;
    const rule = {
      tool: name,
      kind,
      program: command,
      text: `the command "${command}" with ${name}`,
    };
    const options = [
      { id: "allow", label: "Allow", decision: "allow" },
      { id: "always", label: "Always", decision: "allow", rule },
      { id: "deny", label: "Deny", decision: "deny" },
    ];
    const tool = { name, kind, input };
    return [call, { ...request, kind: "permission", text: "May I?", callId: id, tool, options }];
  }
  if (step.out === undefined && step.diff === undefined) return [call];
  const { out = "", exit, diff } = step;
  const result = {
    type: "tool_result",
    callId: id,
    output: out,
    isError: exit !== undefined && exit > 0,
  };
  return [
    call,
    { ...result, ...(exit !== undefined && { exitCode: exit }), ...(diff && { diff }) },
  ];
}
