// @ts-nocheck: this agent imitates third-party JavaScript
import { createInterface } from "node:readline";

const pending = new Map();
let nextId = 0;

/** Writes one JSON-RPC message as a line. */
export function write(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

export function notify(method, params) {
  write({ method, params });
}

/** Sends a request to the client. Resolves with the result, or rejects with the error of the client. */
export function ask(method, params) {
  const id = nextId++;
  write({ id, method, params });
  return new Promise((resolve, reject) => pending.set(id, { resolve, reject }));
}

/**
 * Calls `handle(method, params, id)` for each request and notification. Responds to a request with the error or the result of
 * `handle`. Sends no response if the result is undefined.
 */
export function listen(handle) {
  createInterface({ input: process.stdin }).on("line", async (line) => {
    if (line.trim() === "") return;
    const { id, method, params, result, error } = JSON.parse(line);
    if (method === undefined) {
      const waiting = pending.get(id);
      pending.delete(id);
      if (error) waiting?.reject(Object.assign(new Error(error.message), error));
      else waiting?.resolve(result);
      return;
    }
    try {
      const answer = await handle(method, params, id);
      if (id !== undefined && answer !== undefined) write({ id, result: answer });
    } catch (thrown) {
      const { code = -32603, message, data } = thrown;
      if (id !== undefined) write({ id, error: { code, message, ...(data && { data }) } });
    }
  });
}
