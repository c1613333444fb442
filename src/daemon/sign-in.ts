import { HttpConnection } from "../client/connection.ts";
import { resolveEndpoint } from "../client/target.ts";
import { SignInCode } from "../schema/sign-in.ts";
import type { RunningDaemon } from "./find.ts";

export interface SignInCodeOptions {
  /** How long the code is valid. Defaults to 60,000 ms. */
  readonly lifetimeMs?: number;
}

/** Creates a code that signs in one browser, over the daemon's socket. The daemon opens the port of the page. */
export async function createSignInCode(
  daemon: RunningDaemon,
  options: SignInCodeOptions = {},
): Promise<SignInCode> {
  const connection = await connect(daemon);
  return SignInCode.parse(await connection.request("POST", "/v1/sign-in-codes", { body: options }));
}

/** Signs out all browsers and revokes all codes. */
export async function signOutAll(daemon: RunningDaemon): Promise<void> {
  const connection = await connect(daemon);
  await connection.request("DELETE", "/v1/sign-in?all=true");
}

/** Returns the address that opens the page and signs in. Browsers do not send the fragment to servers. */
export function signInUrl(base: string, code: string): string {
  return new URL(`/#code=${code}`, base).href;
}

async function connect({ socketPath }: RunningDaemon): Promise<HttpConnection> {
  const sockets = () => import("../client/socket-fetch.ts");
  const endpoint = await resolveEndpoint({ socketPath }, undefined, sockets);
  return new HttpConnection(endpoint, { token: undefined, reconnectMs: RECONNECT_MS });
}

const RECONNECT_MS = 5_000;
