import { stat } from "node:fs/promises";
import { TrustFile } from "../../config/files/trust.ts";
import { editJsonFile } from "../../config/json/edit-json.ts";
import { readJsonFile } from "../../config/json/json-file.ts";
import { homeDirectory, trustFile } from "../../config/paths.ts";
import { trustedBy } from "../../config/trust/directory-trust.ts";
import { realDirectory } from "../../config/trust/is-trusted.ts";
import { HalyardError } from "../../errors/error.ts";
import { makeHome } from "../../files/make-home.ts";
import { openConsole, throwIfUnwritable } from "../console/console.ts";
import { abbreviateHome } from "../text/format.ts";

export interface TrustOptions {
  readonly remove?: boolean;
  readonly explain?: boolean;
  readonly format: "text" | "json";
}

export async function trust(
  directory: string,
  { remove = false }: Pick<TrustOptions, "remove">,
): Promise<number> {
  const console = openConsole();
  const real = await realDirectory(directory);
  const found = await stat(real).catch(() => undefined);
  if (!remove && found?.isDirectory() !== true)
    throw new HalyardError(
      "invalid_input",
      `${directory} is not a directory. Pass the path of a directory.`,
    );
  const path = trustFile(await makeHome(homeDirectory(console.env)));
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
    const command = `halyard trust --remove ${abbreviateHome(above)}`;
    const message = `${abbreviateHome(real)} is still trusted, because ${abbreviateHome(above)} is. Run "${command}".`;
    await console.out.write(`${message}\n`);
    throwIfUnwritable(console);
    return 1;
  }
  await console.out.write(
    remove
      ? `${abbreviateHome(real)} is not trusted\n`
      : `${abbreviateHome(real)} is trusted, with all directories below it: their files may run code, loosen permissions and use your keys\n`,
  );
  throwIfUnwritable(console);
  return 0;
}
