import { HalyardError } from "../../errors/error.ts";
import {
  type Encoding,
  encodings,
  type PageFile,
  type PageFiles,
  readPageFiles,
} from "./page-files.ts";

/** Responds to requests for the page's files. */
export interface WebPage {
  /**
   * Responds with a file. Returns undefined if the page has no such file. Rejects with `not_found` for `/` if the page is
   * not built. `path` is relative to the base path and starts with a slash.
   */
  respond(request: Request, path: string): Promise<Response | undefined>;
}

/** Creates a page from the files in a directory. Reads the directory when the first request arrives. */
export function createPage(directory: string): WebPage {
  let reading: Promise<PageFiles> | undefined;
  const read = async (): Promise<PageFiles> => {
    reading ??= readPageFiles(directory);
    try {
      return await reading;
    } catch (cause) {
      reading = undefined; // retry on the next request, because the page may be built later
      throw new HalyardError(
        "not_found",
        'The page is not part of this build. Run "npm run build" to build it.',
        { cause },
      );
    }
  };
  return {
    async respond(request, path) {
      const name = path === "/" ? "index.html" : path.slice(1);
      const files = await read().catch((error) => {
        if (path === "/") throw error;
        return undefined;
      });
      const file = files?.get(name);
      return file && respondWith(file, request);
    },
  };
}

async function respondWith(file: PageFile, { headers }: Request): Promise<Response> {
  const { etag, type, isImmutable, content } = file;
  const fixed = {
    ...pageHeaders,
    etag,
    vary: "accept-encoding",
    "cache-control": isImmutable ? "public, max-age=31536000, immutable" : "no-cache",
  };
  if (matches(headers.get("if-none-match"), etag))
    return new Response(null, { status: 304, headers: fixed });
  const encoding = chooseEncoding(headers.get("accept-encoding") ?? "");
  const compressed = encoding && (await file.compressed(encoding));
  return new Response(new Uint8Array(compressed ?? content), {
    headers: {
      ...fixed,
      "content-type": type,
      ...(compressed && encoding && { "content-encoding": encoding }),
    },
  });
}

/**
 * With these headers, a browser loads nothing from other servers, runs no inline scripts and does not show the page in
 * a frame. The browser also does not send the page's address to other servers.
 */
const pageHeaders = {
  "content-security-policy":
    "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'",
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

function matches(given: string | null, etag: string): boolean {
  return given?.split(",").some((one) => one.trim() === etag || one.trim() === "*") ?? false;
}

function chooseEncoding(accepted: string): Encoding | undefined {
  const names = accepted
    .split(",")
    .map((part) => part.trim().split(/\s*;\s*/))
    .filter(([, quality]) => !/^q=0(\.0*)?$/.test(quality ?? ""))
    .map(([name]) => name);
  return encodings.find((encoding) => names.includes(encoding));
}
