import { createHash, randomBytes } from "node:crypto";
import { HalyardError } from "../../errors/error.ts";
import type { SignedInBrowser } from "../../schema/sign-in.ts";

/** Keeps the browsers that are signed in, so that they stay signed in after a restart of the server. */
export interface BrowserStore {
  read(): Promise<readonly SignedInBrowser[]>;
  write(browsers: readonly SignedInBrowser[]): Promise<void>;
}

export interface SignInsOptions {
  readonly now: () => Date;
  readonly store: BrowserStore;
}

/** A secret that the server gives out, and the time until which it is valid. */
export interface Secret {
  readonly value: string;
  readonly expiresAt: Date;
}

/** How long a browser stays signed in. */
export const BROWSER_MS = 30 * 24 * 3_600_000;

/** More than a person has. Limits what a client that signs in repeatedly can store. */
const MOST_BROWSERS = 100;
const MOST_CODES = 100;

/** The one-time codes and the browsers of a server. Contains only digests: a copy of it signs in nobody. */
export class SignIns {
  readonly #now: () => Date;
  readonly #store: BrowserStore;
  /** The expiry of each code by its digest. */
  readonly #codes = new Map<string, number>();
  #browsers: Promise<Map<string, number>> | undefined;

  constructor({ now, store }: SignInsOptions) {
    this.#now = now;
    this.#store = store;
  }

  /** Creates a code that signs in one browser. */
  createCode(lifetimeMs: number): Secret {
    forgetExpired(this.#codes, this.#time());
    if (this.#codes.size >= MOST_CODES)
      throw new HalyardError("limit_exceeded", "Too many sign-in codes are open. Wait a minute.");
    return this.#issue(this.#codes, lifetimeMs);
  }

  /** Exchanges a code for the secret of a browser. A code is valid once; returns undefined if it is not. */
  async signIn(code: string): Promise<Secret | undefined> {
    const digest = digestOf(code);
    const expiresAt = this.#codes.get(digest) ?? 0;
    this.#codes.delete(digest); // before the first await, so that it is used once
    if (expiresAt <= this.#time()) return undefined;
    const browsers = await this.#read();
    forgetExpired(browsers, this.#time());
    const [oldest] = browsers.keys();
    if (browsers.size >= MOST_BROWSERS && oldest !== undefined) browsers.delete(oldest);
    const secret = this.#issue(browsers, BROWSER_MS);
    await this.#save(browsers);
    return secret;
  }

  /** True if a browser with this secret is signed in. */
  async has(secret: string): Promise<boolean> {
    return ((await this.#read()).get(digestOf(secret)) ?? 0) > this.#time();
  }

  /** Signs out the browser with this secret. */
  async signOut(secret: string): Promise<void> {
    const browsers = await this.#read();
    if (browsers.delete(digestOf(secret))) await this.#save(browsers);
  }

  /** Signs out all browsers and revokes all codes. */
  async signOutAll(): Promise<void> {
    this.#codes.clear();
    const browsers = await this.#read();
    browsers.clear();
    await this.#save(browsers);
  }

  #issue(secrets: Map<string, number>, lifetimeMs: number): Secret {
    const value = randomBytes(32).toString("base64url");
    const expiresAt = this.#time() + lifetimeMs;
    secrets.set(digestOf(value), expiresAt);
    return { value, expiresAt: new Date(expiresAt) };
  }

  #read(): Promise<Map<string, number>> {
    this.#browsers ??= this.#store
      .read()
      .then((all) => new Map(all.map(({ digest, expiresAt }) => [digest, Date.parse(expiresAt)])));
    return this.#browsers;
  }

  #save(browsers: ReadonlyMap<string, number>): Promise<void> {
    const all = [...browsers].map(([digest, expiresAt]) => ({
      digest,
      expiresAt: new Date(expiresAt).toISOString(),
    }));
    return this.#store.write(all);
  }

  #time(): number {
    return this.#now().getTime();
  }
}

/** Creates a store that forgets the browsers when the process exits. */
export function memoryBrowsers(): BrowserStore {
  return { read: async () => [], write: async () => {} };
}

function forgetExpired(secrets: Map<string, number>, now: number): void {
  for (const [digest, expiresAt] of secrets) if (expiresAt <= now) secrets.delete(digest);
}

/** Secrets are looked up by digest, so that the time of a lookup reveals nothing about them. */
function digestOf(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}
