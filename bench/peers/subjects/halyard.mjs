import { join } from "node:path";
import { createHalyard } from "../../../dist/create-halyard.js";

/**
 * Opens Halyard in this process, with the default store on disk.
 * @type {import("./subject.mjs").OpenSubject}
 */
export async function open({ root, agent }) {
  const halyard = await createHalyard({
    home: join(root, "home"),
    env: { PATH: process.env.PATH },
  });
  const session = await halyard.start({
    runtime: "acp",
    cwd: root,
    permissions: "allow-all",
    options: { command: agent, protocolVersion: 1 },
  });
  await session.ready();
  return {
    async run(prompt, onText) {
      const turn = session.send(prompt);
      for await (const event of turn) if (event.type === "delta") onText(event.text);
      await turn.outcome;
    },
    async close() {
      await halyard[Symbol.asyncDispose]();
    },
  };
}
