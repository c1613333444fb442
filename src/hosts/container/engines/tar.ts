import { Readable } from "node:stream";

/** An archive entry. It is a directory if it has no content. */
export interface TarEntry {
  /** The path in the archive. At most 100 bytes. */
  readonly name: string;
  readonly content?: Uint8Array;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/** Creates a tar archive of small files, as engines expect it for a build. */
export function tarOf(files: Readonly<Record<string, string>>): Readable {
  return tarOfEntries(
    Object.entries(files).map(([name, text]) => ({
      name,
      content: Buffer.from(text),
      mode: 0o644,
      uid: 0,
      gid: 0,
    })),
  );
}

export function tarOfEntries(entries: readonly TarEntry[]): Readable {
  const blocks = entries.flatMap((entry) => {
    const { content = new Uint8Array() } = entry;
    return [header(entry, content.length), content, padding(content.length)];
  });
  return Readable.from([Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)])]);
}

const BLOCK = 512;

const octal = (value: number): string => `${value.toString(8).padStart(7, "0")}\0`;

function header({ name, content, mode, uid, gid }: TarEntry, size: number): Buffer {
  if (Buffer.byteLength(name) > 100)
    throw new Error(`The path ${name} is too long for an archive (100 bytes at most). Shorten it.`);
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0, 100);
  block.write(octal(mode), 100);
  block.write(octal(uid), 108);
  block.write(octal(gid), 116);
  block.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
  block.write("00000000000\0", 136); // a fixed time, so that equal files produce equal archives
  block.write("        ", 148); // the checksum is computed with spaces in the checksum field
  block.write(content ? "0" : "5", 156);
  block.write("ustar\x0000", 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

function padding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}
