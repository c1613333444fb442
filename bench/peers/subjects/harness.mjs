import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { inPackages } from "../packages.mjs";
import { sandboxHere } from "./harness-sandbox.mjs";

/**
 * Opens the AI SDK's harness with its published adapter for ACP agents. The harness has no sandbox for the local machine, so
 * this repository provides one. The layers of the AI SDK above the harness are not measured.
 * @type {import("./subject.mjs").OpenSubject}
 */
export async function open({ root, agent }) {
  const { createACP } = await import(
    pathToFileURL(inPackages("harness", "@ai-sdk", "harness-acp", "dist", "index.js")).href
  );
  const harness = createACP({
    harnessId: "bench",
    source: { type: "install-command", command: "true" },
    executable: "agent",
    modelMapping: { type: "session-model", path: "model" },
  });
  await install(root, await harness.getBootstrap(), agent);
  const session = await harness.doStart({
    sessionId: "bench",
    sandboxSession: sandboxHere(root),
    sessionWorkDir: join(root, "work"),
  });
  return {
    async run(prompt, onText) {
      const { done } = await session.doPromptTurn({
        prompt,
        skills: [],
        emit: (/** @type {{ type: string, delta: string }} */ { type, delta }) => {
          if (type === "text-delta") onText(delta);
        },
      });
      await done;
    },
    close: () => session.doDestroy(),
  };
}

/**
 * Prepares the sandbox before the first session: installs the bridge with its packages, and the agent.
 * @param {string} root
 * @param {{ bootstrapDir: string, files: { path: string, content: string }[] }} bootstrap
 * @param {readonly string[]} agent
 */
async function install(root, { bootstrapDir, files }, agent) {
  const program = join(bootstrapDir, "implementation", "home", ".local", "bin", "agent");
  const script = `#!/bin/sh\nexec ${agent.map((word) => `'${word}'`).join(" ")}\n`;
  for (const { path, content } of [...files, { path: program, content: script }]) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content, { mode: 0o755 });
  }
  await symlink(inPackages("harness"), join(root, bootstrapDir, "node_modules"));
}
