import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { createHalyard } from "halyard";
import { connectHalyard } from "halyard/client";
import { createServer } from "halyard/server";
import { startScriptedModel } from "halyard/testing";

// The server is usually another process (`halyard serve`). In this example, it runs in this process, with a scripted model.
const scripted = await startScriptedModel([{ replies: [{ text: "Hello from afar." }] }]);
const local = await createHalyard();
const token = "a token of at least 32 characters, please";
const server = await createServer(local, { token }).listen({ port: 0 });

// The client needs only `fetch`, so the same code runs in a browser.
const halyard = await connectHalyard(server.url, { token });
const cwd = mkdtempSync(`${tmpdir()}/halyard-`);
const session = await halyard.start({ runtime: "pi", cwd, model: scripted.endpoint("anthropic") });
const turn = session.send("Say hello");
for await (const event of turn) {
  if (event.type === "delta") process.stdout.write(event.text);
}
const outcome = await turn.outcome;
console.log(`\n${outcome.status}; sessions on the server: ${(await halyard.sessions()).length}`);

await halyard[Symbol.asyncDispose](); // disconnects; the server keeps the session
await server.close();
await local[Symbol.asyncDispose](); // stops its sessions
await scripted.close();
