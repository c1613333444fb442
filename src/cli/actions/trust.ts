import { stat } from "node:fs/promises";
import { editJsonFile } from "../../config/edit-json.ts";
import { TrustFile } from "../../config/files/trust.ts";
import { readJsonFile } from "../../config/json-file.ts";
import { homeDirectory, trustFile } from "../../config/paths.ts";
import { realDirectory } from "../../config/trust.ts";
import { HalyardError } from "../../core/error.ts";
import { tilde } from "../output/words.ts";
import { openTerminal, throwIfUnwritable } from "../terminal.ts";

export interface TrustOptions {
  readonly remove?: boolean;
}

export async function trust(directory: string, { remove = false }: TrustOptions): Promise<number> {
  const terminal = openTerminal();
  const real = await realDirectory(directory);
  const found = await stat(real).catch(() => undefined);
  if (!remove && found?.isDirectory() !== true)
    throw new HalyardError("invalid_input", `${directory} is not a directory`);
  const path = trustFile(homeDirectory(terminal.env));
  const { directories = [] } = (await readJsonFile(path, () => TrustFile))?.value ?? {};
  const others = directories.filter((one) => one !== real);
  const value = remove ? others : [...others, real];
  if (remove !== (others.length === directories.length))
    await editJsonFile(path, [{ path: ["directories"], value }]);
  await terminal.out.write(
    remove
      ? `${tilde(real)} is not trusted\n`
      : `${tilde(real)} is trusted, with all below it: its files may loosen permissions, set hooks and use your keys\n`,
  );
  throwIfUnwritable(terminal);
  return 0;
}
