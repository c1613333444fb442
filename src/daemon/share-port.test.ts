import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { SignedInBrowser } from "../server/index.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { SharePort } from "./share-port.ts";

/** Listens on a loopback port and returns the server and its port. */
async function listenOn(wanted: number): Promise<{ server: Server; port: number }> {
  const server = createServer();
  const listening = once(server, "listening");
  server.listen(wanted, "127.0.0.1");
  await listening;
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return { server, port: address.port };
}

/** Creates a closed port for one valid link. */
function openScene(file: string) {
  const link: SignedInBrowser = {
    digest: "0",
    expiresAt: "2026-01-02T00:00:00.000Z",
    share: { sessionId: "ses_0123456789abcdef", exposed: true },
  };
  const servers: Server[] = [];
  const kept = [link];
  const port = new SharePort({
    file,
    async listen(wanted) {
      const { server, port } = await listenOn(wanted);
      servers.push(server);
      const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
      return { url: `http://127.0.0.1:${port}`, close };
    },
    browsers: { read: async () => kept, write: async () => {} },
    now: () => new Date("2026-01-01T00:00:00Z"),
  });
  const isListening = () => servers.some(({ listening }) => listening);
  return { port, servers, isListening, revoke: () => kept.splice(0) };
}

test("stays open while a link for other machines is valid, and closes after the link is revoked", async () => {
  const file = join(await temporaryDirectory(), "share-port.json");
  const { port, isListening, revoke } = openScene(file);
  expect(port.isOpen).toBe(false);
  await port.open();
  await port.closeIfUnused();
  expect([port.isOpen, isListening()]).toEqual([true, true]);
  revoke();
  await port.closeIfUnused();
  expect([port.isOpen, isListening()]).toEqual([false, false]);
});

test("reopen opens no port if no port is stored, or if another program uses the stored port", async () => {
  const file = join(await temporaryDirectory(), "share-port.json");
  const { port } = openScene(file);
  await port.reopen();
  expect(port.isOpen).toBe(false);
  const other = await listenOn(0);
  await writeFile(file, JSON.stringify({ port: other.port }));
  await expect(port.reopen()).rejects.toMatchObject({ code: "EADDRINUSE" });
  expect(port.isOpen).toBe(false);
  await port.open(); // opens another port
  expect(port.isOpen).toBe(true);
  await port[Symbol.asyncDispose]();
});

test("listens on no port if the port cannot be stored", async () => {
  const file = join(await temporaryDirectory(), "missing", "share-port.json");
  const { port, servers, isListening } = openScene(file);
  await expect(port.open()).rejects.toMatchObject({ code: "ENOENT" });
  expect([port.isOpen, isListening()]).toEqual([false, false]);
  expect(servers.length).toBeGreaterThan(0);
  await port[Symbol.asyncDispose]();
});
