/**
 * Somebody who runs the agent.
 * @typedef {object} Subject
 * @property {(prompt: string, onText: (text: string, reader?: number) => void) => Promise<void>} run Resolves with the end of the turn, as its caller hears of it.
 * @property {() => number | undefined} [pid] Of the process that stays while a session is idle, where it is not this one.
 * @property {() => Promise<void>} close
 *
 * @typedef {object} Place
 * @property {string} root Empty, and gone afterwards.
 * @property {string[]} agent The agent's command line.
 *
 * @typedef {(place: Place, readers?: number) => Promise<Subject>} OpenSubject Some can be read by several at once.
 */

/**
 * The text of a piece of a message, if it is one.
 * @param {any} message
 * @returns {string | undefined}
 */
export function pieceOf(message) {
  const update = message?.params?.update;
  return update?.sessionUpdate === "agent_message_chunk" ? update.content.text : undefined;
}

/**
 * Calls back for each line of JSON.
 * @param {import("node:stream").Readable} stream
 * @param {(message: any) => void} hear
 */
export function hearLines(stream, hear) {
  let rest = "";
  stream.setEncoding("utf8").on("data", (/** @type {string} */ chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("{")) hear(JSON.parse(line));
  });
}
