import { Readable } from "node:stream";

/** Small files as a tar archive, which is how an engine wants what it builds from. */
export function tarOf(files: Readonly<Record<string, string>>): Readable {
  const blocks = Object.entries(files).flatMap(([name, content]) => {
    const bytes = Buffer.from(content);
    return [header(name, bytes.length), bytes, padding(bytes.length)];
  });
  return Readable.from([Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)])]);
}

const BLOCK = 512;

function header(name: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0, 100);
  block.write("0000644\0", 100);
  block.write("0000000\0", 108); // owner
  block.write("0000000\0", 116); // group
  block.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
  block.write("00000000000\0", 136); // the same file, whenever it is built
  block.write("        ", 148); // the checksum counts as spaces while it is made
  block.write("0", 156);
  block.write("ustar\x0000", 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

function padding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}
