import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { openPublicTypes } from "./public-types.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const entries = Object.entries(packageJson.exports).flatMap(([path, target]) =>
  typeof target === "string" ? [] : [{ name: path.replace(/^\./, "halyard"), ...target }],
);

let directory: string;

/** Creates a package that depends on Halyard and re-exports all its values and results. */
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "halyard-"));
  await mkdir(join(directory, "node_modules/@types"), { recursive: true });
  const installed = join(directory, "node_modules/halyard");
  await cp(join(root, "package.json"), join(installed, "package.json"));
  await cp(join(root, "dist"), join(installed, "dist"), {
    recursive: true,
    filter: (path) => !/\.\w+$/.test(path) || path.endsWith(".d.ts"),
  });
  for (const name of ["zod", "hono", "vitest", "@types/node"])
    await symlink(join(root, "node_modules", name), join(directory, "node_modules", name));
  await writeFile(join(directory, "package.json"), '{ "type": "module" }');
  await cp(join(root, "test/types/programs/typing.ts"), join(directory, "typing.ts"));
  for (const [index, { name, types, default: code }] of entries.entries()) {
    const values = Object.keys(await import(join(root, code)));
    await writeFile(join(directory, `entry-${index}.ts`), programOf(name, types, values));
  }
  await writeFile(
    join(directory, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        target: "es2023",
        module: "nodenext",
        lib: ["es2023", "esnext.disposable", "dom", "dom.asynciterable"],
        types: ["node"],
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: true,
        declaration: true,
        outDir: "out",
      },
    }),
  );
});
afterAll(() => rm(directory, { recursive: true, force: true }));

test.each(["typescript", "typescript-5.9"])(
  "a program that exports every value and every result emits declarations with %s",
  {
    timeout: 120_000,
  },
  async (compiler) => {
    const tsc = join(root, "node_modules", compiler, "bin/tsc");
    const compiling = promisify(execFile)(process.execPath, [tsc, "-p", directory], {
      maxBuffer: 2 ** 24,
    });
    const { stdout } = await compiling.catch((error) => error);
    expect(stdout).toBe("");
  },
);

/** Returns a program that exports the values of an entry point and the results of its functions and methods. */
function programOf(name: string, file: string, values: readonly string[]): string {
  using types = openPublicTypes(file.replace("./dist/", ""));
  const lines = types.names.flatMap((exported) => {
    const value = values.includes(exported)
      ? [
          `export const value_${exported} = all.${exported};`,
          `export const result_${exported} = result(all.${exported});`,
        ]
      : [];
    const returned = types
      .methodsOf(exported)
      .map(
        (method) =>
          `export const ${exported}_${method} = result(member<all.${exported}, "${method}">());`,
      );
    return [...value, ...returned];
  });
  return `import * as all from "${name}";
declare function result<T>(value: T): T extends (...values: never[]) => infer R ? Awaited<R> : never;
declare function member<T, K extends keyof T>(): T[K];
${lines.join("\n")}
`;
}
