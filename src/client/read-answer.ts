import { HalyardError } from "../core/error.ts";
import { isRecord } from "../wire/is-record.ts";

/** Checks the fields of an answer that this client relies on. `T` is the type of an answer that passes. */
export interface Shape<T> {
  readonly check: Check;
  /** Exists for the type only. */
  readonly type?: T;
}

/** Throws a `Mismatch` if the value at this path is not as expected. */
export type Check = (value: unknown, path: readonly PropertyKey[]) => void;

/** Returns the answer as its type. If it does not fit, the error names the record and the field. */
export function readAnswer<T>({ check }: Shape<T>, answer: unknown): T {
  try {
    check(answer, []);
    return answer as T;
  } catch (cause) {
    if (!(cause instanceof Mismatch)) throw cause;
    const { path, message } = cause;
    const where = [idAt(answer, path), path.join("."), message].filter((part) => part);
    const text = `The server sent an answer that this client cannot read: ${where.join(": ")}. Both must be of one version.`;
    throw new HalyardError("internal", text, { cause });
  }
}

/** A value that is not as expected. */
export class Mismatch extends Error {
  readonly path: readonly PropertyKey[];

  constructor(path: readonly PropertyKey[], expected: string) {
    super(`expected ${expected}`);
    this.path = path;
  }
}

/** The id of the outermost record on this path that has one. */
function idAt(value: unknown, [key, ...rest]: readonly PropertyKey[]): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (isRecord(value) && typeof value.id === "string") return value.id;
  return key === undefined ? undefined : idAt(Reflect.get(value, key), rest);
}
