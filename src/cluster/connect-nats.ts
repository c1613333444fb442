import { readFile } from "node:fs/promises";
import type { NatsConnection } from "@nats-io/transport-node";
import { HalyardError, reasonOf } from "../errors/error.ts";
import { sentence } from "../errors/sentence.ts";
import { isRepeatable } from "../stores/jetstream/errors.ts";
import { loadTransport } from "../stores/jetstream/nats.ts";

/** How to connect to NATS. */
export interface NatsAddress {
  /** One or more addresses, separated by commas, such as `nats://10.0.0.5:4222`. They may contain credentials. */
  readonly servers: string;
  /** A file with a user's JWT and NKey, in the format that `nsc` writes. */
  readonly credentialsFile?: string | undefined;
  /** A file with the certificate of the authority that signed the servers' certificates. */
  readonly caFile?: string | undefined;
  /** The client name that the servers display. */
  readonly name?: string | undefined;
}

/**
 * Connects to NATS, and reconnects whenever the connection is lost. Rejects with the reason if no server accepts the
 * first connection.
 */
export async function connectNats(address: NatsAddress): Promise<NatsConnection> {
  const { connect, credsAuthenticator } = await loadTransport();
  const { caFile, credentialsFile, name = "halyard" } = address;
  const servers = address.servers.split(",").map((text) => toUrl(text.trim()));
  const [{ username, password, protocol } = toUrl("")] = servers;
  const credentials = credentialsFile && (await readSecret(credentialsFile));
  try {
    return await connect({
      servers: servers.map(({ host }) => host),
      name,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      pingInterval: PING_MS, // a connection that was cut silently is replaced 5 s after the second missed ping
      ...(username && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
      ...(credentials && {
        authenticator: credsAuthenticator(new TextEncoder().encode(credentials)),
      }),
      ...((protocol === "tls:" || caFile) && { tls: caFile ? { caFile } : {} }),
    });
  } catch (error) {
    const hosts = servers.map(({ host }) => host).join(", ");
    throw new HalyardError(
      "unreachable",
      `Cannot connect to NATS at ${hosts}: ${sentence(reasonOf(error))} Check the address and the credentials, and that "nats-server -js" is running at this address.`,
      { cause: error },
    );
  }
}

const PING_MS = 5_000;

/** True if an operation failed because the NATS servers do not respond, or if the connection is closed. */
export function isConnectionError(error: unknown, connection: NatsConnection): boolean {
  return isRepeatable(error) || connection.isClosed();
}

function toUrl(text: string): URL {
  const address = text.includes("://") ? text : `nats://${text}`;
  if (URL.canParse(address)) {
    const url = new URL(address);
    if ((url.protocol === "nats:" || url.protocol === "tls:") && url.hostname !== "") return url;
  }
  throw new HalyardError(
    "invalid_input",
    `The address "${text}" is not a NATS address. Use nats://HOST:PORT or tls://HOST:PORT.`,
  );
}

async function readSecret(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw new HalyardError(
      "invalid_input",
      `The credentials file ${file} cannot be read. Check its path and permissions.`,
      {
        cause,
      },
    );
  }
}
