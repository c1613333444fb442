import { stat } from "node:fs/promises";
import { editJsonFile } from "../../config/edit-json.ts";
import { TrustFile } from "../../config/files/trust.ts";
import { readJsonFile } from "../../config/json-file.ts";
import { homeDirectory, trustFile } from "../../config/paths.ts";
import { trustedBy } from "../../config/trust/directory-trust.ts";
import { realDirectory } from "../../config/trust.ts";
import { HalyardError } from "../../core/error.ts";
import { tilde } from "../output/words.ts";
import { openTerminal, throwIfUnwritable } from "../terminal.ts";

export interface TrustOptions {
  readonly remove?: boolean;
  readonly explain?: boolean;
  readonly format: "text" | "json";
}

export async function trust(
  directory: string,
  { remove = false }: Pick<TrustOptions, "remove">,
): Promise<number> {
  const terminal = openTerminal();
  const real = await realDirectory(directory);
  const found = await stat(real).catch(() => undefined);
  if (!remove && found?.isDirectory() !== true)
    throw new HalyardError("invalid_input", `${directory} is not a directory`);
  const path = trustFile(homeDirectory(terminal.env));
  const { directories = [], answers = {} } =
    (await readJsonFile(path, () => TrustFile))?.value ?? {};
  const others = directories.filter((one) => one !== real);
  const value = remove ? others : [...others, real];
  if (remove !== (others.length === directories.length))
    await editJsonFile(path, [{ path: ["directories"], value }]);
  if (remove && Object.hasOwn(answers, real))
    await editJsonFile(path, [{ path: ["answers", real], value: undefined }]);
  const above = remove ? trustedBy(real, others) : undefined;
  if (above !== undefined) {
    const command = `halyard trust --remove ${tilde(above)}`;
    const message = `${tilde(real)} is still trusted, because ${tilde(above)} is. Run: ${command}`;
    await terminal.out.write(`${message}\n`);
    throwIfUnwritable(terminal);
    return 1;
  }
  await terminal.out.write(
    remove
      ? `${tilde(real)} is not trusted\n`
      : `${tilde(real)} is trusted, with all below it: its files may run code, loosen permissions and use your keys\n`,
  );
  throwIfUnwritable(terminal);
  return 0;
}
