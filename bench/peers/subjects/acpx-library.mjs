import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { inPackages } from "../packages.mjs";

/**
 * Opens `acpx/runtime` in this process.
 * @type {import("./subject.mjs").OpenSubject}
 */
export async function open({ root, agent }) {
  const { createAcpRuntime, createFileSessionStore } = await import(
    pathToFileURL(inPackages("acpx", "acpx", "dist", "runtime.js")).href
  );
  const runtime = createAcpRuntime({
    cwd: root,
    sessionStore: createFileSessionStore({ stateDir: join(root, "acpx") }),
    agentRegistry: { resolve: () => agent, list: () => ["bench"] },
    permissionMode: "approve-all",
  });
  const handle = await runtime.ensureSession({
    sessionKey: "bench",
    agent: "bench",
    mode: "persistent",
    cwd: root,
  });
  let last = 0;
  return {
    async run(prompt, onText) {
      const requestId = String(++last);
      const turn = runtime.startTurn({ handle, text: prompt, mode: "prompt", requestId });
      for await (const event of turn.events) if (event.type === "text_delta") onText(event.text);
      const { status } = await turn.result;
      if (status !== "completed") throw new Error(`acpx ended the turn with status ${status}.`);
    },
    close: () => runtime.close({ handle, reason: "measured" }),
  };
}
