/**
 * Runs one operation on the files of a session, until its git or a file change kills it. Prints the id of a new session.
 * Arguments: home, working directory, search path, operation, id of an existing session.
 */
import { createHalyard } from "../../dist/index.js";
import { fakeAdapter } from "../../dist/testing/fake/index.js";

const [home = "", cwd = "", PATH = "", operation, id = ""] = process.argv.slice(2);
const halyard = await createHalyard({ home, env: { PATH }, adapters: [fakeAdapter()] });
const request = /** @type {const} */ ({ runtime: "fake", cwd, permissions: "allow-all" });

switch (operation) {
  case "checkpoint": {
    const session = await halyard.start(request);
    process.stdout.write(`${session.id}\n`);
    await session.send("sh echo agent > agent.txt; rm old.txt").outcome;
    await halyard.changes(session.id, { turnId: "1" });
    break;
  }
  case "rewind":
    await halyard.rewind(id, { to: "start" });
    break;
  case "worktree": {
    const session = await halyard.start({ ...request, worktree: true });
    process.stdout.write(`${session.id}\n`);
    break;
  }
  case "prune":
    await halyard.pruneWorktrees({ park: true });
    break;
}
await halyard[Symbol.asyncDispose]();
