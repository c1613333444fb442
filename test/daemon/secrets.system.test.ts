import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Halyard, Session } from "../../src/contracts/halyard.ts";
import type { SessionId } from "../../src/schema/id.ts";
import { halyard } from "../cli/start-cli.ts";
import { connectTo, newDaemonUser, readLog, startFakeDaemon } from "./scene.ts";

const encodings: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `${text.slice(0, 9)}\n${text.slice(9)}`,
  (text) => Buffer.from(text).toString("hex"),
  (text) => Buffer.from(text).toString("hex").toUpperCase(),
  (text) => Buffer.from(text).toString("base64"),
  (text) => Buffer.from(`user:${text}`).toString("base64"),
  (text) => Buffer.from(`${text}\n`).toString("base64url").replace(/.{20}/g, "$&\n"),
  encodeURIComponent,
];

/** Returns each encoding of a key without its last two characters, and the key's first and last twelve characters. */
function tracesOf(key: string): string[] {
  const whole = encodings.map((encode) => encode(key).replaceAll("\n", "").replace(/=+$/, ""));
  return [...whole.map((form) => form.slice(0, -2)), key.slice(0, 12), key.slice(-12)];
}

/** Returns the files below a directory that contain a trace of a key, even if it is wrapped over several lines. */
async function filesWith(traces: readonly string[], directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const found: string[] = [];
  for (const file of files) {
    const bytes = await readFile(file, "latin1").catch(() => ""); // the file may have been removed in the meantime
    const text = bytes.replaceAll(/\\n|\n/g, "");
    if (traces.some((trace) => text.includes(trace))) found.push(relative(directory, file));
  }
  return found;
}

/** Makes the agent print every key in every encoding, and expects redacted outcomes. */
async function printAll(session: Session, keys: readonly string[]): Promise<void> {
  for (const encode of encodings)
    for (const key of keys) {
      const { outcome } = session.send(`say it is ${encode(key)}`);
      expect((await outcome).text).toContain("[redacted]");
    }
}

async function expectNothing(of: Halyard, id: SessionId, traces: readonly string[]): Promise<void> {
  const log = JSON.stringify(await readLog(of, id)).replaceAll("\\n", "");
  for (const trace of traces) expect(log).not.toContain(trace);
  expect(JSON.stringify(await of.find(id))).not.toMatch(new RegExp(traces.map(escaped).join("|")));
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");

test("leaves no key below the home after a crash and a resume, in any encoding, except in the agent's own files", async () => {
  const random = fc.stringMatching(/^[A-Za-z0-9_+/-]{24,48}$/).filter((text) => /^\w/.test(text));
  const [pat = "", password = "", token = ""] = fc.sample(random, 3);
  const keys = [pat, password, token];
  const traces = keys.flatMap(tracesOf);
  const user = await newDaemonUser();
  const daemon = await startFakeDaemon(user);
  const given = {
    env: { GH_PAT: pat, DATABASE_URL: `postgres://app:${encodeURIComponent(password)}@db/app` },
    options: { services: { docs: { command: "docs", args: ["--token", token] } } },
  };
  const request = { runtime: "fake", cwd: user.cwd, permissions: "allow-all", ...given } as const;
  const { id } = await (await connectTo(user)).start(request);
  const before = await connectTo(user);
  await printAll(await before.session(id), keys);
  await expectNothing(before, id, traces);
  await daemon.end("SIGKILL");

  await startFakeDaemon(user);
  const after = await connectTo(user);
  await printAll(await after.session(id), keys);
  await expectNothing(after, id, traces);
  // The agent writes its own output and transcript, which are not redacted: only the user can read them.
  const own = [join("run", id), join("sessions", id)];
  const open = await filesWith(traces, user.home);
  expect(open.filter((file) => !own.some((directory) => file.startsWith(directory)))).toEqual([]);
  for (const directory of ["", "run", "sessions", ...own])
    expect((await stat(join(user.home, directory))).mode & 0o077).toBe(0);

  await halyard(user, ["stop", id]);
  await printAll(await after.resume(id, given), keys);
  await halyard(user, ["stop", id]);
  await expectNothing(after, id, traces);
  const left = await filesWith(traces, user.home);
  expect(left.filter((file) => !file.startsWith(join("sessions", id)))).toEqual([]);
});
