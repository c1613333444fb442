/**
 * Returns the events of a log of 100,000 events, in blocks: messages of eleven deltas with one tool call each, and 600 short
 * messages at the end, `End 0` to `End 599`.
 *
 * @returns {Generator<import("../../src/contracts/store.ts").StoredEvent[]>}
 */
export function* longLog() {
  for (let block = 0; block < 100; block++) {
    const events = [...Array(71).keys()].flatMap((index) => message(block * 71 + index, index));
    yield events.slice(0, 994);
  }
  yield [...Array(600).keys()].map((index) => ({
    ...assistant,
    messageId: `e${index}`,
    text: `End ${index}`,
  }));
}

const assistant = /** @type {const} */ ({ type: "message", role: "assistant", channel: "text" });

/**
 * @param {number} number
 * @param {number} index
 * @returns {import("../../src/contracts/store.ts").StoredEvent[]}
 */
function message(number, index) {
  const messageId = `m${number}`;
  const text = `Message ${number} `;
  const delta = /** @type {const} */ ({ type: "delta", channel: "text", messageId, text });
  const callId = `c${number}`;
  return [
    ...Array(11).fill(delta),
    { ...assistant, messageId, text: text.repeat(11) },
    {
      type: "tool_call",
      callId,
      name: "sh",
      kind: "execute",
      input: { command: `echo ${number}` },
    },
    { type: "tool_result", callId, isError: false, output: `${index}\n`.repeat(30) },
  ];
}
