import type { SessionId } from "../schema/id.ts";
import type {
  RepositoryRequest,
  SessionCheckout,
  UploadedFiles,
} from "../schema/workspace/checkout.ts";

/** Creates and removes the directories of sessions that work on a clone or on uploaded files. */
export interface Checkouts {
  /** Clones a repository for a session. Checks out the commit `known` if it is set. */
  clone(id: SessionId, request: RepositoryRequest, known?: string): Promise<SessionCheckout>;
  /** Writes the uploaded files of a session. */
  unpack(id: SessionId, files: UploadedFiles): Promise<SessionCheckout>;
  /** Creates an empty directory for the files of a session that was moved from another machine. */
  makeEmpty(
    id: SessionId,
    name: string,
    options: { readonly isRepository: boolean },
  ): Promise<string>;
  /** Returns the sessions that have a directory. */
  list(): Promise<SessionId[]>;
  /** Deletes the directory of a session. Has no effect if there is none. */
  remove(id: SessionId): Promise<void>;
}
