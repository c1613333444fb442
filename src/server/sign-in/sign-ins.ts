import { createHash, randomBytes } from "node:crypto";
import { HalyardError } from "../../errors/error.ts";
import type { SignedInBrowser } from "../../schema/http/sign-in.ts";
import type { SessionId } from "../../schema/id.ts";
import type { Share } from "../../schema/page/share.ts";

/** Stores the signed-in browsers and the links, so that both stay valid after the server restarts. */
export interface BrowserStore {
  read(): Promise<readonly SignedInBrowser[]>;
  write(browsers: readonly SignedInBrowser[]): Promise<void>;
}

export interface SignInsOptions {
  readonly now: () => Date;
  readonly store: BrowserStore;
}

/** A secret that the server issues, and its expiry time. */
export interface Secret {
  readonly value: string;
  readonly expiresAt: Date;
}

/** How long a browser stays signed in, in milliseconds. */
export const BROWSER_MS = 30 * 24 * 3_600_000;

/**
 * The maximum number of signed-in browsers. Prevents a client that signs in repeatedly from filling the store. The oldest
 * browser is signed out first.
 */
const MOST_BROWSERS = 100;
const MOST_CODES = 100;
const MOST_SHARES = 100;

/** The expiry and scope of a secret. If `share` is set, the secret grants read access to that session only. */
interface Grant {
  readonly expiresAt: number;
  readonly share?: SignedInBrowser["share"];
}

/**
 * The one-time codes, signed-in browsers and shared links of a server. Stores only digests, so that a copy of the data
 * cannot be used to sign in.
 */
export class SignIns {
  readonly #now: () => Date;
  readonly #store: BrowserStore;
  /** The codes by their digest. */
  readonly #codes = new Map<string, Grant>();
  #browsers: Promise<Map<string, Grant>> | undefined;

  constructor({ now, store }: SignInsOptions) {
    this.#now = now;
    this.#store = store;
  }

  /** Creates a code that signs in one browser. Throws `limit_exceeded` if 100 codes are valid. */
  createCode(lifetimeMs: number): Secret {
    forgetExpired(this.#codes, this.#time());
    if (this.#codes.size >= MOST_CODES)
      throw new HalyardError(
        "limit_exceeded",
        "Too many sign-in codes are open. Wait a minute and try again.",
      );
    return this.#issue(this.#codes, lifetimeMs);
  }

  /**
   * Creates the secret of a link to a session. Any number of browsers can use the link. Rejects with `limit_exceeded` if
   * 100 links are valid.
   */
  async share(share: NonNullable<SignedInBrowser["share"]>, lifetimeMs: number): Promise<Secret> {
    const browsers = await this.#read();
    forgetExpired(browsers, this.#time());
    if ([...browsers.values()].filter((grant) => grant.share).length >= MOST_SHARES)
      throw new HalyardError(
        "limit_exceeded",
        'Too many links are valid. Run "halyard share SESSION --revoke" to revoke the links to a session.',
      );
    const secret = this.#issue(browsers, lifetimeMs, share);
    await this.#save(browsers);
    return secret;
  }

  /** Lists the valid links, ordered by expiry. */
  async shares(): Promise<Share[]> {
    const grants = [...(await this.#read()).values()].filter(
      ({ expiresAt }) => expiresAt > this.#time(),
    );
    return grants
      .sort((a, b) => a.expiresAt - b.expiresAt)
      .flatMap(({ share, expiresAt }) =>
        share ? [{ ...share, expiresAt: new Date(expiresAt).toISOString() }] : [],
      );
  }

  /** Returns the link with this secret, or undefined if there is none or it has expired. */
  async findShare(secret: string): Promise<Share | undefined> {
    const { share, expiresAt } = (await this.#read()).get(digestOf(secret)) ?? { expiresAt: 0 };
    if (!share || expiresAt <= this.#time()) return undefined;
    return { ...share, expiresAt: new Date(expiresAt).toISOString() };
  }

  /** Revokes all links to a session. */
  async unshare(sessionId: SessionId): Promise<void> {
    const browsers = await this.#read();
    for (const [digest, { share }] of browsers)
      if (share?.sessionId === sessionId) browsers.delete(digest);
    await this.#save(browsers);
  }

  /**
   * Exchanges a code for a browser's secret. Each code can be used once. Returns undefined if the code is not valid. Signs
   * out the oldest browser if 100 browsers are signed in.
   */
  async signIn(code: string): Promise<Secret | undefined> {
    const digest = digestOf(code);
    const expiresAt = this.#codes.get(digest)?.expiresAt ?? 0;
    this.#codes.delete(digest); // deleted before the first await, so that the code cannot be used twice
    if (expiresAt <= this.#time()) return undefined;
    const browsers = await this.#read();
    forgetExpired(browsers, this.#time());
    const signedIn = [...browsers].filter(([, { share }]) => !share);
    const oldest = signedIn[0]?.[0];
    if (signedIn.length >= MOST_BROWSERS && oldest !== undefined) browsers.delete(oldest);
    const secret = this.#issue(browsers, BROWSER_MS);
    await this.#save(browsers);
    return secret;
  }

  /** True if a browser with this secret is signed in. */
  async has(secret: string): Promise<boolean> {
    const grant = (await this.#read()).get(digestOf(secret));
    return grant !== undefined && !grant.share && grant.expiresAt > this.#time();
  }

  /** Signs out the browser with this secret. */
  async signOut(secret: string): Promise<void> {
    const browsers = await this.#read();
    if (browsers.delete(digestOf(secret))) await this.#save(browsers);
  }

  /** Signs out all browsers and revokes all codes and links. */
  async signOutAll(): Promise<void> {
    this.#codes.clear();
    const browsers = await this.#read();
    browsers.clear();
    await this.#save(browsers);
  }

  #issue(secrets: Map<string, Grant>, lifetimeMs: number, share?: Grant["share"]): Secret {
    const value = randomBytes(32).toString("base64url");
    const expiresAt = this.#time() + lifetimeMs;
    secrets.set(digestOf(value), { expiresAt, ...(share && { share }) });
    return { value, expiresAt: new Date(expiresAt) };
  }

  #read(): Promise<Map<string, Grant>> {
    this.#browsers ??= this.#store
      .read()
      .then(
        (all) =>
          new Map(
            all.map(({ digest, expiresAt, ...rest }) => [
              digest,
              { ...rest, expiresAt: Date.parse(expiresAt) },
            ]),
          ),
      );
    return this.#browsers;
  }

  #save(browsers: ReadonlyMap<string, Grant>): Promise<void> {
    const all = [...browsers].map(([digest, { expiresAt, share }]) => ({
      digest,
      ...(share && { share }),
      expiresAt: new Date(expiresAt).toISOString(),
    }));
    return this.#store.write(all);
  }

  #time(): number {
    return this.#now().getTime();
  }
}

/** Creates a store that persists nothing. `SignIns` then holds the browsers only in memory. */
export function memoryBrowsers(): BrowserStore {
  return { read: async () => [], write: async () => {} };
}

function forgetExpired(secrets: Map<string, Grant>, now: number): void {
  for (const [digest, { expiresAt }] of secrets) if (expiresAt <= now) secrets.delete(digest);
}

/** Returns the digest of a secret. Secrets are looked up by digest, so that lookup times reveal nothing about them. */
function digestOf(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}
