import { once } from "node:events";
import { chmod } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { dirname } from "node:path";
import { ownerSocket } from "../config/paths.ts";
import type { Halyard } from "../contracts/halyard.ts";
import { reasonOf } from "../errors/error.ts";
import { requirePrivate } from "../files/private-directory.ts";
import { ownIdentity } from "../hosts/local/process-identity.ts";
import type { Acceptor } from "./acceptor.ts";

export interface OwnerOptions {
  readonly home: string;
  /** Called with a message if other processes cannot reach this one, or if one of their requests fails unexpectedly. */
  readonly onProblem: (problem: string) => void;
}

/**
 * Accepts commands for the sessions of a Halyard instance from the user's other processes, until the instance is
 * disposed. Loads the HTTP server when the first connection arrives, because most processes never receive one. If the
 * socket cannot be opened, calls `onProblem` and returns the instance unchanged.
 */
export async function serveOwner(
  halyard: Halyard,
  { home, onProblem }: OwnerOptions,
): Promise<Halyard> {
  const path = ownerSocket(home, ownIdentity());
  let acceptor: Promise<Acceptor> | undefined;
  const accept = async (socket: Socket): Promise<void> => {
    socket.on("error", () => {}); // ignored, because the client closed the connection
    acceptor ??= loadAcceptor(halyard, onProblem);
    (await acceptor).accept(socket);
  };
  const server = createServer(
    (socket) => void accept(socket).catch(() => socket.destroy()),
  ).unref();
  try {
    await requirePrivate(dirname(path));
    const listening = once(server, "listening");
    server.listen(path);
    await listening;
    await chmod(path, 0o600);
  } catch (error) {
    onProblem(`Other commands cannot reach the sessions of this process: ${reasonOf(error)}`);
    return halyard;
  }
  const dispose = halyard[Symbol.asyncDispose];
  return Object.assign(halyard, {
    async [Symbol.asyncDispose]() {
      server.close(); // closing the server also removes the socket
      await (await acceptor?.catch(() => undefined))?.close();
      await dispose.call(halyard);
    },
  });
}

async function loadAcceptor(
  halyard: Halyard,
  onProblem: OwnerOptions["onProblem"],
): Promise<Acceptor> {
  const { createAcceptor } = await import("./acceptor.ts");
  const onFault = (error: unknown) =>
    onProblem(`A command from another process failed: ${reasonOf(error)}`);
  return createAcceptor(halyard, { onFault });
}
