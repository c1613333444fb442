import { z } from "zod";

/**
 * A project file that can run code, redirect a key or loosen permissions when a runtime reads it. Each adapter lists
 * the files of its runtime. In a directory that the user does not trust, the runtime starts without them.
 */
export const ProjectSetting = z.strictObject({
  /**
   * The path relative to the working directory or a directory above it. A trailing slash denotes a directory with all
   * its files.
   */
  path: z.string().min(1),
  /** The effects of the file, as a phrase: `runs hooks and MCP servers`. */
  effect: z.string().min(1),
  /**
   * The top-level keys that have the effect. A key may start or end with an asterisk. Defaults to all keys except the
   * harmless ones.
   */
  keys: z.array(z.string()).exactOptional(),
  /** Top-level keys without an effect. A file that has no other keys is not reported. */
  harmlessKeys: z.array(z.string()).exactOptional(),
  /**
   * How the adapter disables the file. If omitted, no session of the runtime starts in an untrusted directory that has
   * the file.
   */
  ignoredBy: z.string().min(1).exactOptional(),
});
export type ProjectSetting = Readonly<z.infer<typeof ProjectSetting>>;

/** A project setting that exists on disk. */
export const FoundSetting = z.strictObject({
  /** The absolute path. */
  path: z.string(),
  /** The directory that the setting belongs to, and that the user can trust. */
  directory: z.string(),
  /** The runtimes that read the setting, or a mode of a runtime. `halyard` for Halyard's own files. */
  runtimes: z.array(z.string()),
  effect: z.string(),
  /** The top-level keys that have an effect, if the file has keys. */
  keys: z.array(z.string()),
  /** The values of these keys, if trust depends on these values only and not on the rest of the file. */
  values: z.array(z.string()).exactOptional(),
  ignoredBy: z.string().exactOptional(),
});
export type FoundSetting = Readonly<z.infer<typeof FoundSetting>>;
