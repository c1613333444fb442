import { execFileSync } from "node:child_process";
import { constants, openSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { disposeAfter, inTemporaryDirectory } from "./resources.mjs";

/**
 * Opens named pipes whose readers do the least possible work.
 * @template T
 * @param {number} count
 * @param {(pipes: { path: string, read: (onText: (text: string) => void) => Promise<void> }[]) => Promise<T>} work
 */
export function withPipes(count, work) {
  return inTemporaryDirectory((directory) => {
    const paths = [...Array(count).keys()].map((index) => join(directory, String(index)));
    execFileSync("mkfifo", paths);
    return disposeAfter(new Pipes(paths), (pipes) => work(pipes.all));
  });
}

/** @implements {AsyncDisposable} */
class Pipes {
  /** @type {Socket[]} */
  #sockets = [];

  /** @param {readonly string[]} paths */
  constructor(paths) {
    this.all = paths.map((path) => {
      const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
      const socket = new Socket({ fd, readable: true, writable: false });
      this.#sockets.push(socket);
      return { path, read: (/** @type {(text: string) => void} */ onText) => read(socket, onText) };
    });
  }

  async [Symbol.asyncDispose]() {
    for (const socket of this.#sockets) socket.destroy();
  }
}

/**
 * Resolves when the writer has ended the turn.
 * @param {Socket} socket
 * @param {(text: string) => void} onText
 * @returns {Promise<void>}
 */
function read(socket, onText) {
  return new Promise((resolve) => {
    let rest = "";
    socket.setEncoding("utf8");
    socket.on("data", (/** @type {string} */ chunk) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const { type, text } = JSON.parse(line);
        if (type === "done") resolve();
        else onText(text);
      }
    });
  });
}
