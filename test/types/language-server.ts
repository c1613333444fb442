import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { z } from "zod";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The language server of TypeScript with one open program. */
export interface LanguageServer extends AsyncDisposable {
  /** Returns the hover text at the first occurrence of `marker`. */
  hover(marker: string): Promise<string>;
  /** Returns the completions after the first occurrence of `marker`. */
  complete(marker: string): Promise<string[]>;
}

const Hover = z.looseObject({ contents: z.looseObject({ value: z.string() }) });
const Completion = z.looseObject({ items: z.array(z.looseObject({ label: z.string() })) });
const Message = z.looseObject({
  id: z.unknown().optional(),
  method: z.string().optional(),
  result: z.unknown().optional(),
});

/** Starts the server with a program in memory, located in this package so that the package name resolves. */
export async function startLanguageServer(text: string): Promise<LanguageServer> {
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const child = spawn(process.execPath, [tsc, "--lsp", "--stdio"], {
    cwd: root,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const replies = new Map<unknown, (result: unknown) => void>();
  const write = (message: object): void => {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  let received = Buffer.alloc(0);
  child.stdout.on("data", (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    for (;;) {
      const head = received.indexOf("\r\n\r\n");
      const length = Number(/Content-Length: (\d+)/.exec(received.toString("utf8", 0, head))?.[1]);
      if (head < 0 || received.length < head + 4 + length) return;
      const body = received.toString("utf8", head + 4, head + 4 + length);
      received = received.subarray(head + 4 + length);
      const { id, method, result } = Message.parse(JSON.parse(body));
      if (method === undefined) replies.get(id)?.(result);
      // The server also sends requests, for example for its configuration.
      else if (id !== undefined) write({ id, result: null });
    }
  });
  let lastId = 0;
  const ask = (method: string, params: object): Promise<unknown> => {
    const id = ++lastId;
    write({ id, method, params });
    return new Promise((resolve) => replies.set(id, resolve));
  };
  const uri = pathToFileURL(join(root, "test/types/program-in-memory.ts")).href;
  const at = (offset: number) => {
    const lines = text.slice(0, offset).split("\n");
    const position = { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
    return { textDocument: { uri }, position };
  };
  const offsetOf = (marker: string): number => {
    const offset = text.indexOf(marker);
    if (offset < 0) throw new Error(`The program does not contain ${marker}.`);
    return offset;
  };
  await ask("initialize", { processId: process.pid, rootUri: null, capabilities: {} });
  write({ method: "initialized", params: {} });
  write({
    method: "textDocument/didOpen",
    params: { textDocument: { uri, languageId: "typescript", version: 1, text } },
  });
  return {
    async hover(marker) {
      const result = await ask("textDocument/hover", at(offsetOf(marker)));
      return Hover.parse(result).contents.value;
    },
    async complete(marker) {
      const result = await ask("textDocument/completion", at(offsetOf(marker) + marker.length));
      return Completion.parse(result).items.map(({ label }) => label);
    },
    async [Symbol.asyncDispose]() {
      const exited = once(child, "exit");
      child.kill();
      await exited;
    },
  };
}
