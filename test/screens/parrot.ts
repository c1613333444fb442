import { writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Writes the parrot program to a directory and returns its path. */
export async function writeParrot(directory: string): Promise<string> {
  const file = join(directory, "parrot");
  await writeFile(file, `#!${process.execPath}\n${PARROT}`, { mode: 0o700 });
  return file;
}

/**
 * A small terminal program with a prompt, an input line and an answer. Variables make it ignore input for a while after
 * its start, ignore the first inputs, exit immediately, answer differently, or not enable bracketed paste. It answers a
 * text that contains "until go" when the file `go` exists in its directory.
 */
const PARROT = `
const { DEAF_MS = "0", DEAF_TO = "", DIES = "", SAYS = "and so on", UNMARKED = "" } = process.env;
if (DIES) { console.log(DIES); process.exit(3); }
const { stdin, stdout } = process;
stdin.setRawMode(true);
stdout.write("Parrot 1.0\\r\\n");
let line = "", isDeaf = true, deafTo = Number(DEAF_TO);
const listen = () => { isDeaf = false; stdout.write((UNMARKED ? "" : "\\x1b[?2004h") + "> "); };
if (deafTo === 0) setTimeout(listen, Number(DEAF_MS));
stdin.on("data", (data) => {
  if (isDeaf) { if (--deafTo === 0) listen(); return; }
  const isPasted = String(data).startsWith("\\x1b[200~");
  const bare = String(data).replace(/\\x1b\\[20[01]~/g, "");
  const text = isPasted ? bare.replaceAll("\\r", "\\n") : bare;
  if (text !== "\\r") { line += text; stdout.write(text.replaceAll("\\n", "\\r\\n")); return; }
  const said = line; line = "";
  stdout.write("\\r\\nthinking...");
  const isHeldBack = () => said.includes("until go") && !require("node:fs").existsSync("go");
  const answer = () => isHeldBack() ? setTimeout(answer, 50) : stdout.write("\\r\\x1b[K" + said.toUpperCase().replaceAll("\\n", "\\r\\n") + "\\r\\n" + SAYS.replaceAll("\\n", "\\r\\n") + "\\r\\n> ");
  setTimeout(answer, 300);
});
`;
