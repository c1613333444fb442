import { writeSync } from "node:fs";

/**
 * @typedef {{ mediaType: string, data: string }} Image
 * @typedef {{ type: "prompt" | "steer", id: string, text: string, images?: Image[] }} Input
 * @typedef {{ type: "answer", id: string, decision: "allow" | "deny", optionId?: string, text?: string }} Answer
 * @typedef {{ type: "set", id: string, flags: Record<string, unknown> }} Change
 * @typedef {{ type: "compact" | "commands", id: string }} Call
 * @typedef {{ type: "hello" } | Call | { type: "cancel" } | Input | Answer | Change} ClientMessage
 */

/** @param {{ type: string, [field: string]: unknown }} message */
export function emit(message) {
  write(`${JSON.stringify(message)}\n`);
}

/**
 * Writes synchronously and completely, so that nothing is lost if the process exits next.
 * @param {string | Uint8Array} data
 */
export function write(data) {
  let rest = Buffer.from(data);
  while (rest.length > 0) rest = rest.subarray(writeSync(1, rest));
}

/**
 * @param {NodeJS.ReadStream} stream
 * @returns {AsyncGenerator<ClientMessage>}
 */
export async function* readMessages(stream) {
  stream.setEncoding("utf8");
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line);
  }
}
