import { HalyardError } from "../errors/error.ts";
import { isRecord } from "../wire/is-record.ts";

/** Checks the fields of a response that this client reads. `T` is the type of a response that passes. */
export interface Shape<T> {
  readonly check: Check;
  /** Used only by the type checker. Never set at run time. */
  readonly type?: T;
}

/** Throws a `Mismatch` if the value at this path is invalid. */
export type Check = (value: unknown, path: readonly PropertyKey[]) => void;

/** Checks a response and returns it as its type. The error for an invalid response names the record and the field. */
export function readResponse<T>({ check }: Shape<T>, answer: unknown): T {
  try {
    check(answer, []);
    return answer as T;
  } catch (cause) {
    if (!(cause instanceof Mismatch)) throw cause;
    const { path, message } = cause;
    const where = [idAt(answer, path), path.join("."), message].filter((part) => part);
    const text = `The server sent an invalid response: ${where.join(": ")}. Use the same version of Halyard for client and server.`;
    throw new HalyardError("internal", text, { cause });
  }
}

/** Thrown for a value that does not match its check. */
export class Mismatch extends Error {
  readonly path: readonly PropertyKey[];

  constructor(path: readonly PropertyKey[], expected: string) {
    super(`expected ${expected}`);
    this.path = path;
  }
}

/** Returns the id of the outermost record on this path that has an id, or undefined if there is none. */
function idAt(value: unknown, [key, ...rest]: readonly PropertyKey[]): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (isRecord(value) && typeof value.id === "string") return value.id;
  return key === undefined ? undefined : idAt(Reflect.get(value, key), rest);
}
