import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";

/** An in-memory file of the page. */
export interface PageFile {
  readonly type: string;
  /** The `ETag` of the content. */
  readonly etag: string;
  /** True if the name changes with the content, so that a browser may cache the file forever. */
  readonly isImmutable: boolean;
  readonly content: Buffer;
  /** Returns the compressed content, or undefined if the type does not compress well. */
  compressed(encoding: Encoding): Promise<Buffer> | undefined;
}

/** The encodings that a browser may accept. The encoding with the smallest result is first. */
export const encodings = ["br", "gzip"] as const;
export type Encoding = (typeof encodings)[number];

/** The page's files by path, such as `index.html` and `assets/app-1a2b3c4d.js`. */
export type PageFiles = ReadonlyMap<string, PageFile>;

/**
 * Reads all files of a built page into memory, about 1 MB. The server responds only with these files. Therefore, a path
 * from a request never reaches the file system, and an upgrade of the package does not mix the files of two versions. A
 * file `NAME.br` or `NAME.gz` is the compressed form of `NAME`.
 */
export async function readPageFiles(directory: string): Promise<PageFiles> {
  const contents = new Map<string, Buffer>();
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    contents.set(relative(directory, path).split(sep).join("/"), await readFile(path));
  }
  const names = [...contents.keys()].filter((name) => !/\.(br|gz)$/.test(name));
  return new Map(names.map((name) => [name, toPageFile(name, contents)]));
}

function toPageFile(name: string, contents: ReadonlyMap<string, Buffer>): PageFile {
  const content = contents.get(name) ?? Buffer.alloc(0);
  const known = new Map<Encoding, Promise<Buffer>>();
  const type = types.get(extname(name)) ?? "application/octet-stream";
  return {
    type,
    etag: `W/"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`,
    isImmutable: name.startsWith("assets/"),
    content,
    compressed(encoding) {
      if (!isCompressible(type)) return undefined;
      const prepared = contents.get(`${name}.${encoding === "br" ? "br" : "gz"}`);
      const compressed = known.get(encoding) ?? prepared ?? compress(content, encoding);
      const promise = Promise.resolve(compressed);
      known.set(encoding, promise);
      return promise;
    },
  };
}

function compress(content: Buffer, encoding: Encoding): Promise<Buffer> {
  return promisify(encoding === "br" ? brotliCompress : gzip)(content);
}

const types = new Map([
  [".css", "text/css; charset=utf-8"],
  [".html", "text/html; charset=utf-8"],
  [".ico", "image/x-icon"],
  [".js", "text/javascript; charset=utf-8"],
  [".json", "application/json"],
  [".png", "image/png"],
  [".svg", "image/svg+xml"],
  [".txt", "text/plain; charset=utf-8"],
  [".webmanifest", "application/manifest+json"],
  [".woff2", "font/woff2"],
]);

function isCompressible(type: string): boolean {
  return /^(text\/|image\/svg)|json|javascript/.test(type);
}
