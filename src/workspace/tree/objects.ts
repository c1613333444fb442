import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { deflateSync } from "node:zlib";

/** The objects' directory, and the hash function that names them. */
export interface ObjectPaths {
  /** The `objects` directory in a git directory. */
  readonly objects: string;
  /** The hash function: `sha1` or `sha256`. */
  readonly format: string;
}

/**
 * Writes loose objects as git does. Works synchronously and without a git process, because asynchronous calls or a
 * process would take longer than the rest of a small checkpoint. Use it only for few and small objects.
 */
export class ObjectWriter {
  readonly #paths: ObjectPaths;
  readonly #now: () => Date;
  readonly #unflushed: string[] = [];

  constructor(paths: ObjectPaths, now: () => Date) {
    this.#paths = paths;
    this.#now = now;
  }

  /** Writes an object if it does not exist, and returns its hash. */
  write(type: "blob" | "commit" | "tree", content: string | Buffer): string {
    const { objects, format } = this.#paths;
    const body = typeof content === "string" ? Buffer.from(content) : content;
    const object = Buffer.concat([Buffer.from(`${type} ${body.length}\0`), body]);
    const name = createHash(format).update(object).digest("hex");
    const file = join(objects, name.slice(0, 2), name.slice(2));
    if (refresh(file, this.#now())) return name;
    const temporary = join(objects, `tmp_obj_${randomUUID()}`); // a name for which `git gc` deletes old files
    try {
      writeFileSync(temporary, deflateSync(object, { level: 1 }), { mode: 0o444, flag: "wx" });
      mkdirSync(dirname(file), { recursive: true });
      renameSync(temporary, file);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
    this.#unflushed.push(file);
    return name;
  }

  /**
   * Flushes the objects to disk. Git never rewrites an existing object, so an object that a power failure left empty
   * would damage a user's commit that contains the same file.
   */
  async flush(): Promise<void> {
    await Promise.all(this.#unflushed.splice(0).map(flushFile));
  }
}

/** Sets an object's time, which protects it from `git gc`. Returns false if the object does not exist. */
function refresh(file: string, now: Date): boolean {
  try {
    utimesSync(file, now, now);
    return true;
  } catch {
    return existsSync(file); // only the owner of a file may set its time
  }
}

async function flushFile(file: string): Promise<void> {
  try {
    await using handle = await open(file, "r");
    await handle.datasync();
  } catch (error) {
    // `git gc` has deleted the file
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
}
