import type { ScriptedTurn } from "../../testing/script.ts";

export const DEMO_FILE = "hello.mjs";

export const DEMO_PROMPT = `Write ${DEMO_FILE}, a little program that greets me with the time of day, and run it.`;

const program = `const hour = new Date().getHours();
const part = hour < 12 ? "morning" : hour < 18 ? "afternoon" : "evening";
console.log(\`Good \${part} from Halyard!\`);
`;

const pace = { chunkSize: 6, chunkDelayMs: 12 } as const;

/** The replies of the demo model. The agent, its tools and the file are real. */
export const demoScript: readonly ScriptedTurn[] = [
  {
    replies: [
      {
        ...pace,
        reasoning:
          "A greeting by the hour needs nothing but Date. I will write the file, then run it to be sure.",
        text: `I'll write \`${DEMO_FILE}\` and try it out.`,
        toolCalls: [{ name: "write", input: { path: DEMO_FILE, content: program } }],
        usage: { inputTokens: 1432, outputTokens: 118 },
      },
      {
        ...pace,
        toolCalls: [{ name: "bash", input: { command: `node ${DEMO_FILE}` } }],
        usage: { inputTokens: 1571, outputTokens: 34 },
      },
      {
        ...pace,
        text: `Done: \`${DEMO_FILE}\` looks at the clock and greets you accordingly. It ran without a fault.`,
        usage: { inputTokens: 1634, outputTokens: 41 },
      },
    ],
  },
];
