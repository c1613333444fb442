import { fileURLToPath } from "node:url";
import type { Halyard } from "../contracts/halyard.ts";
import { HalyardError } from "../errors/error.ts";
import { type App, createApp } from "./app.ts";
import type { ServerEndpoint } from "./endpoints/server-endpoint.ts";
import { type ListenAddress, type ListeningServer, listen } from "./listen.ts";
import { createPage, type WebPage } from "./page/page.ts";
import { type BrowserStore, memoryBrowsers, SignIns } from "./sign-in/sign-ins.ts";
import { Streams } from "./streams/streams.ts";

export type { SignedInBrowser } from "../schema/http/sign-in.ts";
export type { Access } from "./access.ts";
export type { App, AppEnvironment } from "./app.ts";
export type { ServerEndpoint } from "./endpoints/server-endpoint.ts";
export type { ListenAddress, ListeningServer } from "./listen.ts";
export type { BrowserStore } from "./sign-in/sign-ins.ts";

/** Options of `createServer`. */
export interface ServerOptions {
  /**
   * The token that programs must send over TCP. Without a token, the server can listen on a port only if it serves the
   * page (`web`), whose browsers sign in.
   */
  readonly token?: string | undefined;
  /** The version in the OpenAPI document, which `/v1/health` also reports to authorized clients. */
  readonly version?: string | undefined;
  /** Host names that the server accepts besides those of the loopback interface. */
  readonly hosts?: readonly string[] | undefined;
  /** Origins of web pages that may send requests, such as `https://example.com`. Defaults to none. */
  readonly origins?: readonly string[] | undefined;
  /** The path at which the API is mounted in another server, such as `/halyard`. Defaults to the root. */
  readonly basePath?: string | undefined;
  /** True to serve the web page at `/`, or the directory of another build of the page. Defaults to false. */
  readonly web?: boolean | string | undefined;
  /**
   * Returns the Halyard instance for requests from the page. The instance can also contain the sessions of other
   * machines. Defaults to the server's instance.
   */
  readonly forPage?: (() => Promise<Halyard>) | undefined;
  /**
   * Stores the browsers that are signed in to the page, and the links. Defaults to an in-memory store, whose content is
   * lost when the process exits.
   */
  readonly browsers?: BrowserStore | undefined;
  /**
   * Returns the address of the page, for responses that contain a sign-in code or a link. Defaults to the address of the
   * server's first port.
   */
  readonly pageUrl?: (() => Promise<string | undefined>) | undefined;
  /**
   * Opens a port for other machines that serves only shared sessions (`isForShares`), and returns its address. If
   * omitted, only clients that can reach the page can open links.
   */
  readonly shareUrl?: (() => Promise<string>) | undefined;
  /** Called after links to a session were revoked. */
  readonly onUnshare?: (() => Promise<void>) | undefined;
  /** Returns the current time, for the expiry of sign-in codes, sign-ins and links. Defaults to the system clock. */
  readonly now?: (() => Date) | undefined;
  /**
   * Additional endpoints, for example for another protocol. The server protects them like its own routes. Defaults to
   * none.
   */
  readonly endpoints?: readonly ServerEndpoint[] | undefined;
  /** Called with unexpected errors, which responses do not contain. */
  readonly onFault?: ((error: unknown) => void) | undefined;
  /** How long a client may take to send the headers of a request, in milliseconds. Defaults to 10,000. */
  readonly headersTimeoutMs?: number | undefined;
  /**
   * The interval of heartbeats on an event stream, in milliseconds. Defaults to 15,000. Clients reconnect after at most
   * 45 s without an event or a heartbeat.
   */
  readonly heartbeatMs?: number | undefined;
}

/** An HTTP server for a Halyard instance. */
export interface HalyardServer {
  /**
   * The application for use in another server: maps a Request to a Response. Requests need the token or the cookie of a
   * signed-in browser, except on public routes such as `/v1/health`.
   */
  readonly app: App;
  /** The number of streamed responses in progress, such as event streams and exports. */
  readonly readers: number;
  /**
   * Listens on an address. Rejects with `invalid_input` if the address cannot be used, if other machines can reach it and
   * `expose` is not set, or if it is a port and the server has neither a token nor the page.
   */
  listen(address: ListenAddress): Promise<ListeningServer>;
}

/**
 * Creates an HTTP server for a Halyard instance. The caller owns the instance: closing the server does not stop
 * sessions.
 */
export function createServer(halyard: Halyard, options: ServerOptions = {}): HalyardServer {
  const { token, version, hosts = [], origins = [], onFault = () => {} } = options;
  const basePath = toBasePath(options.basePath);
  const { headersTimeoutMs = 10_000, heartbeatMs } = options;
  const streams = new Streams({ heartbeatMs, onFault });
  const page = toPage(options.web);
  const { now = () => new Date(), browsers: store = memoryBrowsers() } = options;
  const signIns = page && new SignIns({ now, store });
  const ports: ListeningServer[] = [];
  const { pageUrl = async () => ports[0]?.url } = options;
  const { shareUrl, onUnshare, endpoints = [] } = options;
  const signIn = signIns && { signIns, now, pageUrl, shareUrl, onUnshare };
  const guard = { token, hosts, origins, signIns };
  const app = createApp(
    { halyard, streams, version, basePath, onFault, signIn },
    { forPage: options.forPage, ...guard, page, endpoints },
  );
  const upgrades = endpoints.length === 0 ? undefined : { endpoints, basePath, guard, onFault };
  return {
    app,
    get readers() {
      return streams.size;
    },
    async listen(address) {
      const isPort = !("socketPath" in address);
      if (isPort && !token && !signIns) {
        throw new HalyardError(
          "invalid_input",
          'A port requires a token or the page. Pass the option "token" or "web", or listen on a unix socket.',
        );
      }
      const isForShares = isPort && address.isForShares === true;
      const listener = await listen(app, address, {
        headersTimeoutMs,
        streams,
        upgrades: isForShares ? undefined : upgrades,
      });
      if (isPort && !isForShares) ports.push(listener);
      return listener;
    },
  };
}

function toPage(web: boolean | string | undefined): WebPage | undefined {
  if (web === undefined || web === false) return undefined;
  return createPage(web === true ? ownPage : web);
}

/** The built page of this package. The relative path is the same from this file and from the bundled command line. */
const ownPage = fileURLToPath(new URL("../../dist/web/", import.meta.url));

/** Returns the path with a leading slash and without a trailing slash. Returns an empty string for the root. */
function toBasePath(path = ""): string {
  const trimmed = path.replace(/^\/+|\/+$/g, "");
  return trimmed === "" ? "" : `/${trimmed}`;
}
