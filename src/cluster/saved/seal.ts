import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
} from "node:crypto";
import { readFile } from "node:fs/promises";
import { HalyardError } from "../../errors/error.ts";

/** Names stored content and, unless `kind` is `none`, encrypts it. */
export interface Seal {
  /** The kind of encryption, so that a reader without the key can report it. */
  readonly kind: "none" | "aes-256-gcm";
  /** Returns a name for content. If the content is encrypted, only a holder of the key can compute the name. */
  name(content: Buffer): string;
  /** Encrypts content. `place` is authenticated: encrypted content that was moved to another place cannot be decrypted. */
  seal(content: Buffer, place: string): Buffer;
  /** Decrypts content. Throws `store_corrupt` if the content was changed or moved, or was encrypted with another key. */
  open(sealed: Buffer, place: string): Buffer;
}

/** The seal that does not encrypt content. */
export const plain: Seal = {
  kind: "none",
  name: (content) => createHash("sha256").update(content).digest("hex"),
  seal: (content) => content,
  open: (sealed) => sealed,
};

/** Creates a seal that encrypts content with AES-256-GCM. `secret` is the cluster key, at least 32 bytes long. */
export function createSeal(secret: Buffer): Seal {
  const derive = (use: string) => Buffer.from(hkdfSync("sha256", secret, "", `halyard ${use}`, 32));
  const [encryption, names] = [derive("encryption"), derive("names")];
  return {
    kind: "aes-256-gcm",
    name: (content) => createHmac("sha256", names).update(content).digest("hex"),
    seal(content, place) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", encryption, nonce).setAAD(Buffer.from(place));
      const encrypted = Buffer.concat([cipher.update(content), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]);
    },
    open(sealed, place) {
      const nonce = sealed.subarray(0, NONCE_BYTES);
      const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
      const decipher = createDecipheriv("aes-256-gcm", encryption, nonce)
        .setAAD(Buffer.from(place))
        .setAuthTag(tag);
      try {
        const content = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES));
        return Buffer.concat([content, decipher.final()]);
      } catch (cause) {
        throw new HalyardError(
          "store_corrupt",
          "The saved files cannot be decrypted: they were changed, or this worker has another cluster key. Start all workers with the same --key-file.",
          { cause },
        );
      }
    },
  };
}

/**
 * Reads the key of a cluster from a file. A trailing line break is not part of the key. Rejects if the file cannot be
 * read or the key is too short.
 */
export async function readClusterKey(file: string): Promise<Buffer> {
  const text = await readFile(file).catch((cause) => {
    throw new HalyardError(
      "invalid_input",
      `The key file ${file} cannot be read. Check its path and permissions.`,
      { cause },
    );
  });
  const key = Buffer.from(text.toString("latin1").replace(/\r?\n$/, ""), "latin1");
  if (key.length >= MIN_KEY_BYTES) return key;
  throw new HalyardError(
    "invalid_input",
    `The key in ${file} is shorter than ${MIN_KEY_BYTES} bytes. Run "openssl rand -base64 32 > ${file}" to create one.`,
  );
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const MIN_KEY_BYTES = 32;
