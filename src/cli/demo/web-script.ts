import type { PermissionPolicy } from "../../schema/permission.ts";
import type { ScriptedTurn } from "../../testing/script.ts";
import { DEMO_PROMPT, demoScript } from "./demo-script.ts";

/** A session of the web demo. */
export interface DemoSession {
  readonly name: string;
  readonly permissions: PermissionPolicy;
  readonly prompt: string;
}

/** Three sessions that work at the same time. The last one waits for an answer. */
export const demoSessions: readonly DemoSession[] = [
  { name: "greeting", permissions: "allow-all", prompt: DEMO_PROMPT },
  {
    name: "tests",
    permissions: "allow-all",
    prompt: "Write slug.mjs, which turns a title into a slug, with a test, and make the test pass.",
  },
  {
    name: "release",
    permissions: "ask",
    prompt: "Clear the build directory and write a fresh build.txt with the date.",
  },
];

const pace = { chunkSize: 5, chunkDelayMs: 40 } as const;

const firstTry = `export const slug = (title) => title.toLowerCase().replaceAll(" ", "-");
`;

const secondTry = `/** Turns a title into a slug: letters and digits, joined by single hyphens. */
export function slug(title) {
  const plain = title.normalize("NFKD").replace(/[\\u0300-\\u036f]/g, "");
  return plain.toLowerCase().match(/[a-z0-9]+/g)?.join("-") ?? "";
}
`;

// Two parts, so that this package does not appear to import the file.
const SLUG = ["./slug", "mjs"].join(".");

const test = `import assert from "node:assert/strict";
import { test } from "node:test";
import { slug } from "${SLUG}";

test("joins words with hyphens", () => assert.equal(slug("Hello World"), "hello-world"));
test("removes accents and punctuation", () => assert.equal(slug("Où est-il ?"), "ou-est-il"));
`;

/** The model's replies, by the message that they answer. The agents, their tools and the files are real. */
export const webScript: readonly ScriptedTurn[] = [
  {
    replies: [
      {
        ...pace,
        text: "This model is a script: it knows the three tasks of this demo and no others. Run `halyard start` to use a real model.",
        usage: { inputTokens: 900, outputTokens: 31 },
      },
    ],
  },
  ...demoScript.map((turn) => ({ ...turn, when: DEMO_PROMPT })),
  {
    when: "slug.mjs",
    replies: [
      {
        ...pace,
        reasoning:
          "A slug is lower case with hyphens. I will start with the simplest version and let the test show what is missing.",
        text: "I'll write the function and its test first.",
        toolCalls: [
          { name: "write", input: { path: "slug.mjs", content: firstTry } },
          { name: "write", input: { path: "slug.test.mjs", content: test } },
        ],
        usage: { inputTokens: 1502, outputTokens: 231 },
      },
      {
        ...pace,
        toolCalls: [{ name: "bash", input: { command: "node --test slug.test.mjs" } }],
        usage: { inputTokens: 1810, outputTokens: 40 },
      },
      {
        ...pace,
        reasoning:
          "Accents and punctuation stay in the slug. The words have to be matched instead.",
        text: "One test fails: the simple version keeps accents and punctuation. I'll match the words instead.",
        toolCalls: [{ name: "write", input: { path: "slug.mjs", content: secondTry } }],
        usage: { inputTokens: 2204, outputTokens: 164 },
      },
      {
        ...pace,
        toolCalls: [{ name: "bash", input: { command: "node --test slug.test.mjs" } }],
        usage: { inputTokens: 2431, outputTokens: 40 },
      },
      {
        ...pace,
        text: "Both tests pass now:\n\n- `slug.mjs` removes accents and joins the words with hyphens\n- `slug.test.mjs` covers both cases",
        usage: { inputTokens: 2710, outputTokens: 58 },
      },
    ],
  },
  {
    when: "build directory",
    replies: [
      {
        ...pace,
        text: "I'll clear `build/` and write the file. Removing files needs your permission.",
        toolCalls: [
          {
            name: "bash",
            input: { command: "rm -rf build && mkdir build && date > build/build.txt" },
          },
        ],
        usage: { inputTokens: 1388, outputTokens: 66 },
      },
      {
        ...pace,
        text: "That was the only step of this task. `build/build.txt` has the date if you allowed the command, and nothing changed if you denied it.",
        usage: { inputTokens: 1475, outputTokens: 38 },
      },
    ],
  },
];
