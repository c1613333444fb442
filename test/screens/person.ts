import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { Session } from "../../src/contracts/halyard.ts";
import type { Terminal } from "../../src/contracts/terminal.ts";
import { createTmuxHost } from "../../src/hosts/tmux/index.ts";

/** Attaches to the screen of a session, as a person at the keyboard would. */
export async function attachPerson(home: string, session: Session): Promise<Terminal> {
  await session.ready();
  const host = createTmuxHost({ socket: join(home, "tmux.sock"), env: process.env });
  const person = await host.attachTerminal?.(join(home, "run", session.id));
  if (person === undefined) throw new Error("The session has no screen.");
  onTestFinished(() => person.detach());
  return person;
}

/** Resolves when the screen shows the text. */
export async function sees(person: Terminal, text: string): Promise<void> {
  const screen = async () => (await person.look()).lines.join("\n");
  await expect.poll(screen, { timeout: 10_000 }).toContain(text);
}
