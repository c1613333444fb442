import { join } from "node:path";
import type { Store } from "../contracts/store.ts";

/**
 * Opens a store by its kind: the database in Halyard's home, or memory. Returns the store unchanged if the caller
 * passes one.
 */
export async function openStore(
  kind: "sqlite" | "memory" | Store,
  home: string,
  options: { readonly indexes: boolean },
): Promise<Store> {
  if (typeof kind === "object") return kind;
  if (kind === "memory") return new (await import("./memory.ts")).MemoryStore();
  const { openSqliteStore } = await import("./sqlite/store.ts");
  return openSqliteStore(join(home, "halyard.db"), options);
}
