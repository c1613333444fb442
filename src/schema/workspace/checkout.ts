import { z } from "zod";

/** A repository that is cloned for a session. */
export const RepositoryRequest = z.strictObject({
  /**
   * The address, as `git clone` accepts it. The machine that runs the session needs access to the repository. The
   * address must not contain a password.
   * @example "git@github.com:acme/shop.git"
   */
  url: z
    .string()
    .min(1)
    .max(2_000)
    .refine((url) => !/^-|[\s\p{Cc}]/u.test(url), "expected the address of a git repository")
    .refine((url) => !/^[a-z][a-z0-9+.-]*::/i.test(url), "remote helpers (NAME::…) are not allowed")
    .refine(
      (url) => !(URL.canParse(url) && new URL(url).password !== ""),
      "must not contain a password. Set up a key or a git credential helper on the machine that runs the session",
    ),
  /**
   * A branch, a tag or a commit.
   * @defaultValue the default branch of the repository
   * @example "main"
   */
  ref: z
    .string()
    .min(1)
    .max(200)
    .refine(
      (name) => !/^-|\.\.|[\s~^:?*[\\\p{Cc}]/u.test(name),
      "expected a branch, a tag or a commit",
    )
    .optional(),
});
export type RepositoryRequest = z.infer<typeof RepositoryRequest>;

/** The files of a directory on the caller's machine, as `packDirectory` returns them. */
export const UploadedFiles = z.strictObject({
  /** The commit that contains the files. */
  commit: z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/),
  /** A git pack that contains this commit, as base64. */
  pack: z.base64(),
  /** The name of the directory. */
  name: z.string().regex(/^[A-Za-z0-9._-]{1,80}$/),
});
export type UploadedFiles = z.infer<typeof UploadedFiles>;

/** The directory that was created for a session: a clone of a repository, or a copy of uploaded files. */
export const SessionCheckout = z.strictObject({
  /** The root of the files. */
  path: z.string(),
  /** The commit at which the session started. */
  base: z.string(),
  /** The address of the repository. Absent for uploaded files. */
  url: z.string().optional(),
  /** The branch, tag or commit that was requested. Absent for the default branch. */
  ref: z.string().optional(),
});
export type SessionCheckout = z.infer<typeof SessionCheckout>;
