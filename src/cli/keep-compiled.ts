import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import Module, { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { Script } from "node:vm";

/**
 * Keeps the compiled code of this directory's files in it, so that the next start need not compile them again. Where
 * nothing can be written, all is compiled each time.
 */
export function keepCompiled(directory: string): void {
  const kept = join(directory, "compiled", `${process.version}-${process.arch}`);
  const byNode: unknown = Reflect.get(Module, "enableCompileCache"); // from Node 22.1 on
  if (typeof byNode === "function") byNode(kept);
  else keepByHand(directory, kept);
}

/** A file of the bundle, as Node's own loader knows it. */
interface Loader {
  _compile(this: NodeJS.Module, source: string, file: string): unknown;
}

type Body = (this: unknown, ...scope: unknown[]) => unknown;

function keepByHand(directory: string, kept: string): void {
  const loader = Module.prototype as unknown as Loader;
  const compile = loader._compile;
  const news: { file: string; source: string; script: Script }[] = [];
  loader._compile = function (source, path) {
    // Kept code has forgotten how to import: what imports packages is left to Node.
    if (dirname(path) !== directory || source.includes("import(")) {
      return compile.call(this, source, path);
    }
    const file = join(kept, basename(path));
    const cachedData = read(file, source);
    const script = new Script(Module.wrap(source), { filename: path, cachedData });
    if (cachedData === undefined || script.cachedDataRejected) news.push({ file, source, script });
    const body: Body = script.runInThisContext();
    return body.call(this.exports, this.exports, createRequire(path), this, path, directory);
  };
  process.once("exit", () => {
    for (const { file, source, script } of news) write(file, source, script.createCachedData());
  });
}

/** Undefined if it is not there, of another source, or damaged: V8 would take it, and fall. */
function read(file: string, source: string): Buffer | undefined {
  try {
    const bytes = readFileSync(file);
    const compiled = bytes.subarray(SEAL_BYTES);
    return seal(source, compiled).equals(bytes.subarray(0, SEAL_BYTES)) ? compiled : undefined;
  } catch {
    return undefined;
  }
}

function write(file: string, source: string, compiled: Buffer): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
  } catch {
    return; // a directory that is not ours to write to
  }
  const own = `${file}.${process.pid}`;
  try {
    writeFileSync(own, Buffer.concat([seal(source, compiled), compiled]));
    renameSync(own, file);
  } catch {
    rmSync(own, { force: true }); // on a full disk it may be there in part
  }
}

const SEAL_BYTES = 32;

function seal(source: string, compiled: Buffer): Buffer {
  return createHash("sha256").update(source).update(compiled).digest();
}
