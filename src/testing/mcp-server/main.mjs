/** A stdio MCP server. It writes its pid and environment to the file in its first argument. */
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { answerTo } from "./answer.mjs";

const [, , file = ""] = process.argv;
const { pid, env } = process;
writeFileSync(file, JSON.stringify({ pid, env }), { mode: 0o600 });

for await (const line of createInterface({ input: process.stdin })) {
  const answer = answerTo(JSON.parse(line));
  if (answer) process.stdout.write(`${JSON.stringify(answer)}\n`);
}
