import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import Module, { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { Script } from "node:vm";

/**
 * Caches compiled code in the subdirectory `compiled` of a directory, so that later starts do not compile it again. In
 * Node before 22.1, caches only the CommonJS files in the directory that do not call import(). Writes no cache if the
 * directory is not writable.
 */
export function enableCompileCache(directory: string): void {
  const cache = join(directory, "compiled", `${process.version}-${process.arch}`);
  const nodeCache: unknown = Reflect.get(Module, "enableCompileCache"); // exists in Node 22.1 and later
  if (typeof nodeCache === "function") nodeCache(cache);
  else patchLoader(directory, cache);
}

/** Node's internal method that compiles a CommonJS module. */
interface Loader {
  _compile(this: NodeJS.Module, source: string, file: string): unknown;
}

type Body = (this: unknown, ...scope: unknown[]) => unknown;

function patchLoader(directory: string, cache: string): void {
  const loader = Module.prototype as unknown as Loader;
  const compile = loader._compile;
  const compiled: { file: string; source: string; script: Script }[] = [];
  loader._compile = function (source, path) {
    // Code from the cache cannot call import(), so Node compiles the files that do.
    if (dirname(path) !== directory || source.includes("import(")) {
      return compile.call(this, source, path);
    }
    const file = join(cache, basename(path));
    const cachedData = read(file, source);
    const script = new Script(Module.wrap(source), { filename: path, cachedData });
    if (cachedData === undefined || script.cachedDataRejected)
      compiled.push({ file, source, script });
    const body: Body = script.runInThisContext();
    return body.call(this.exports, this.exports, createRequire(path), this, path, directory);
  };
  process.once("exit", () => {
    for (const { file, source, script } of compiled) write(file, source, script.createCachedData());
  });
}

/**
 * Reads a cache file. Returns undefined if the file is missing, damaged or belongs to another source, because V8
 * could accept such data and crash.
 */
function read(file: string, source: string): Buffer | undefined {
  try {
    const bytes = readFileSync(file);
    const compiled = bytes.subarray(DIGEST_BYTES);
    return digest(source, compiled).equals(bytes.subarray(0, DIGEST_BYTES)) ? compiled : undefined;
  } catch {
    return undefined;
  }
}

function write(file: string, source: string, compiled: Buffer): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
  } catch {
    return; // ignored: the directory is not writable
  }
  const temporary = `${file}.${process.pid}`;
  try {
    writeFileSync(temporary, Buffer.concat([digest(source, compiled), compiled]));
    renameSync(temporary, file);
  } catch {
    rmSync(temporary, { force: true }); // on a full disk, an incomplete file can remain
  }
}

const DIGEST_BYTES = 32;

function digest(source: string, compiled: Buffer): Buffer {
  return createHash("sha256").update(source).update(compiled).digest();
}
