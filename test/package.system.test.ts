import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import packageJson from "../package.json" with { type: "json" };

const run = promisify(execFile);
const root = fileURLToPath(new URL("../", import.meta.url));

const Packed = z.tuple([
  z.looseObject({
    unpackedSize: z.number(),
    files: z.array(z.looseObject({ path: z.string(), size: z.number(), mode: z.number() })),
  }),
]);

async function pack() {
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const { stdout } = await run("npm", args, { cwd: root, maxBuffer: 2 ** 24 });
  return Packed.parse(JSON.parse(stdout))[0];
}

test("builds every export and the command from the sources [s4.plan.build]", {
  timeout: 120_000, // a long limit, because the build compiles everything
}, async () => {
  const outDir = await mkdtemp(join(tmpdir(), "halyard-"));
  onTestFinished(() => rm(outDir, { recursive: true, force: true }));
  await symlink(join(root, "node_modules"), join(outDir, "node_modules"));
  const tsc = join(root, "node_modules/.bin/tsc");
  await run(tsc, ["-p", "tsconfig.build.json", "--outDir", outDir], { cwd: root });
  await run(process.execPath, ["scripts/document-types.mjs", outDir], { cwd: root });
  await run(process.execPath, ["scripts/bundle-cli.mjs", outDir], { cwd: root });
  const built = targets().map((path) => path.replace(/^\.\/dist\//, ""));
  expect(built.length).toBeGreaterThan(3);
  expect(built.filter((path) => !existsSync(join(outDir, path)))).toEqual([]);
});

test("the package contains the required files, and neither tests nor recordings", async () => {
  const { files, unpackedSize } = await pack();
  const paths = files.map(({ path }) => path);
  const built = targets().map((path) => path.replace(/^\.\//, ""));
  const needed = [...built, "README.md", "LICENSE", "CHANGELOG.md", "package.json"];
  expect(needed.filter((path) => !paths.includes(path))).toEqual([]);
  expect(
    paths.filter((path) => /\.test\.|fixtures|\.jsonl$|^(src|test|bench)\//.test(path)),
  ).toEqual([]);
  expect(files.filter(({ size }) => size > 500_000)).toEqual([]);
  expect(unpackedSize).toBeLessThan(6_700_000);
});

test("packaged files refer only to packaged files", async () => {
  const { files } = await pack();
  const paths = new Set(files.map(({ path }) => path));
  const missing = [...paths].flatMap((path) =>
    referencesIn(path)
      .map((target) => join(dirname(path), target))
      .filter((target) => !paths.has(target))
      .map((target) => `${path} → ${target}`),
  );
  expect(missing).toEqual([]);
});

test("the package contains only declarations that an entry point imports", async () => {
  const { files } = await pack();
  const reached = new Set<string>();
  const reach = (path: string) => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const target of referencesIn(path)) reach(join(dirname(path), target));
  };
  for (const path of targets()) if (path.endsWith(".d.ts")) reach(path.replace(/^\.\//, ""));
  const declarations = files.map(({ path }) => path).filter((path) => path.endsWith(".d.ts"));
  expect(declarations.sort()).toEqual([...reached].sort());
});

test("the packaged README links only to packaged files, and the original README is restored", async () => {
  const copy = await mkdtemp(join(tmpdir(), "halyard-"));
  onTestFinished(() => rm(copy, { recursive: true, force: true }));
  for (const file of ["README.md", "package.json", "scripts/package-readme.mjs"])
    await cp(join(root, file), join(copy, file));
  const script = join(copy, "scripts/package-readme.mjs");
  const text = () => readFileSync(join(copy, "README.md"), "utf8");
  const original = text();
  await run(process.execPath, [script, "strip"]);
  const { files } = await pack();
  const targets = [...text().matchAll(/\]\((?!https?:|#)([^)#]+)|src="([^"]+)"/g)];
  const linked = targets.map(([, link, image]) => link ?? image);
  expect(linked.length).toBeGreaterThan(0);
  expect(linked.filter((path) => !files.some((file) => file.path === path))).toEqual([]);
  await run(process.execPath, [script, "strip"]); // strips again, as after a run that was interrupted before "restore"
  await run(process.execPath, [script, "restore"]);
  expect(text()).toBe(original);
});

test("the package can be installed beside a newer version of a runtime whose major version is 0", () => {
  const ranges = Object.entries(packageJson.peerDependencies);
  const zero = ranges.filter(([, range]) => /^\D*0\./.test(range));
  expect(zero.length).toBeGreaterThan(0);
  expect(zero.filter(([, range]) => !range.startsWith(">="))).toEqual([]);
});

test("the packaged command is executable", async () => {
  const { files } = await pack();
  const command = packageJson.bin.halyard.replace(/^\.\//, "");
  const mode = files.find(({ path }) => path === command)?.mode ?? 0;
  expect(mode & 0o111).toBe(0o111);
  expect(readFileSync(join(root, command), "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
});

test("every exported path resolves by the package name", async () => {
  const names = Object.keys(packageJson.exports).map((path) => path.replace(/^\./, "halyard"));
  const script = `for (const name of ${JSON.stringify(names)}) import.meta.resolve(name);`;
  await run(process.execPath, ["--input-type=module", "-e", script], { cwd: root });
  for (const path of targets()) expect(existsSync(join(root, path)), path).toBe(true);
});

test.each([
  [".", []],
  ["./adapter", []],
  ["./testing", []],
  ["./testing/suites", ["fast-check", "vitest"]],
] as const)("the entry point %s requires only these optional peers: %j", (entry, needed) => {
  const peers = Object.keys(packageJson.peerDependencies);
  const loaded = loadedBy(packageJson.exports[entry].default);
  expect([...loaded].filter((name) => peers.includes(name)).sort()).toEqual(needed);
});

/** Returns the relative paths that a built file imports or refers to as its source map. */
function referencesIn(path: string): string[] {
  if (!/\.(?:js|mjs|d\.ts)$/.test(path)) return [];
  const source = readFileSync(join(root, path), "utf8");
  const imported = source.matchAll(/(?:from|import|import\(|require\()\s*"(\.{1,2}\/[^"]+)"/g);
  const maps = source.matchAll(/^\/\/# sourceMappingURL=(\S+)$/gm);
  const types = (target: string) =>
    path.endsWith(".d.ts") ? target.replace(/\.(?:js|ts)$/, ".d.ts") : target;
  return [...imported, ...maps].map(([, target = ""]) => types(target));
}

/** Returns the files that package.json names in exports and bin. */
function targets(): string[] {
  const { "./package.json": _, ...entries } = packageJson.exports;
  return [
    ...Object.values(entries).flatMap((entry) => Object.values(entry)),
    packageJson.bin.halyard,
  ];
}

/** Returns the packages and files that a built file imports statically, directly or through other files. */
function loadedBy(file: string, loaded = new Set<string>()): Set<string> {
  const path = join(root, file);
  if (loaded.has(path)) return loaded;
  loaded.add(path);
  for (const [, specifier = ""] of readFileSync(path, "utf8").matchAll(
    /^(?:import|export|\})(?:.*? from)? "([^"]+)";$/gm,
  )) {
    if (specifier.startsWith(".")) loadedBy(join(dirname(file), specifier), loaded);
    else loaded.add(specifier);
  }
  return loaded;
}
