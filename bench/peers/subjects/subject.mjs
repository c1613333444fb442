/**
 * A program that runs the agent and is measured.
 * @typedef {object} Subject
 * @property {(prompt: string, onText: (text: string, reader?: number) => void) => Promise<void>} run Resolves when the subject reports the end of the turn.
 * @property {() => number | undefined} [pid] The pid of the process that keeps running while a session is idle, if it is not this process.
 * @property {() => Promise<void>} close
 *
 * @typedef {object} Place
 * @property {string} root An empty directory that is removed afterwards.
 * @property {string[]} agent The agent's command line.
 *
 * @typedef {(place: Place, readers?: number) => Promise<Subject>} OpenSubject Some subjects support several readers.
 */

/**
 * Returns the text of a delta, or undefined for other updates.
 * @param {any} message
 * @returns {string | undefined}
 */
export function pieceOf(message) {
  const update = message?.params?.update;
  return update?.sessionUpdate === "agent_message_chunk" ? update.content.text : undefined;
}

/**
 * Calls the function for each line of JSON.
 * @param {import("node:stream").Readable} stream
 * @param {(message: any) => void} receive
 */
export function receiveLines(stream, receive) {
  let rest = "";
  stream.setEncoding("utf8").on("data", (/** @type {string} */ chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("{")) receive(JSON.parse(line));
  });
}
