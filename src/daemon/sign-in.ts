import type { z } from "zod";
import { HttpConnection } from "../client/connection.ts";
import { resolveEndpoint } from "../client/target.ts";
import { SignInCode } from "../schema/http/sign-in.ts";
import type { SessionId } from "../schema/id.ts";
import { CreatedShare, type Share, type ShareBody, ShareList } from "../schema/page/share.ts";
import type { RunningDaemon } from "./find.ts";

export interface SignInCodeOptions {
  /** How long the code is valid, in milliseconds. Defaults to 60,000. */
  readonly lifetimeMs?: number;
}

/**
 * Creates a code that signs in one browser. Sends the request over the daemon's socket; the daemon opens the port of
 * the page.
 */
export async function createSignInCode(
  daemon: RunningDaemon,
  options: SignInCodeOptions = {},
): Promise<SignInCode> {
  const connection = await connect(daemon);
  return SignInCode.parse(await connection.request("POST", "/v1/sign-in-codes", { body: options }));
}

/**
 * Creates a link that gives a browser read-only access to one session. The daemon opens the port that the link needs.
 * Rejects with `unsupported`, and creates no link, if other machines cannot reach this machine but should open the link.
 */
export async function createShare(
  daemon: RunningDaemon,
  sessionId: SessionId,
  body: ShareBody,
): Promise<DaemonShare> {
  const connection = await connect(daemon);
  const path = `/v1/sessions/${sessionId}/shares`;
  return DaemonShare.parse(await connection.request("POST", path, { body }));
}

/** A link of a daemon, which knows its own address. */
const DaemonShare = CreatedShare.required({ url: true });
type DaemonShare = z.infer<typeof DaemonShare>;

/** Lists the valid links to shared sessions. */
export async function listShares(daemon: RunningDaemon): Promise<readonly Share[]> {
  const connection = await connect(daemon);
  return ShareList.parse(await connection.request("GET", "/v1/shares")).shares;
}

/** Revokes all links to a session. */
export async function revokeShares(daemon: RunningDaemon, sessionId: SessionId): Promise<void> {
  const connection = await connect(daemon);
  await connection.request("DELETE", `/v1/sessions/${sessionId}/shares`);
}

/** Signs out all browsers, and revokes all codes and all links to shared sessions. */
export async function signOutAll(daemon: RunningDaemon): Promise<void> {
  const connection = await connect(daemon);
  await connection.request("DELETE", "/v1/sign-in?all=true");
}

/** Returns the address that opens the page and signs in. The code is in the fragment, which browsers do not send to servers. */
export function signInUrl(base: string, code: string): string {
  return new URL(`/#code=${code}`, base).href;
}

/** Returns the address that opens a shared session. The secret is in the fragment, which browsers do not send to servers. */
export function shareLink(base: string, secret: string): string {
  return new URL(`/#share=${secret}`, base).href;
}

async function connect({ socketPath }: RunningDaemon): Promise<HttpConnection> {
  const sockets = () => import("../client/socket-fetch.ts");
  const endpoint = await resolveEndpoint({ socketPath }, undefined, sockets);
  return new HttpConnection(endpoint, { token: undefined, reconnectMs: RECONNECT_MS });
}

const RECONNECT_MS = 5_000;
