import { withClaim } from "../../../claims/with-claim.ts";
import { readAgentFile, writeAgentFile } from "../../../permissions/agent-writable.ts";

/** The database of a server, and the program that opens it. */
export interface ServerDatabase {
  readonly dataDir: string;
  /** Identifies the program and its version. */
  readonly program: string;
  /** The directory whose claim serializes the first starts. */
  readonly lock: string;
}

/**
 * Starts a server. If another program was the last to open the database, or none was, other starts on the database wait
 * until the server responds: OpenCode first creates or migrates its tables, and fails if another process does so at the
 * same time.
 */
export async function startOnDatabase<S extends { readonly ready: Promise<unknown> }>(
  { dataDir, program, lock }: ServerDatabase,
  start: () => Promise<S>,
): Promise<S> {
  const isMigrated = () => readAgentFile(dataDir, MARKER) === program;
  if (isMigrated()) return start();
  return new Promise((resolve, reject) => {
    const work = withClaim(lock, {}, async () => {
      const isFirst = !isMigrated();
      const server = await start();
      resolve(server);
      if (!isFirst) return;
      await server.ready;
      writeAgentFile(dataDir, MARKER, program);
    });
    work.catch(reject); // has no effect after the start: the server's users receive the error
  });
}

/** The file that contains the `program` that created or last migrated the database. */
const MARKER = "opened-by";
