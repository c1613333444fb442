import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/**
 * Creates the adapter of a new runtime from `scripts/adapter-template/` and registers it. The result compiles, and its
 * suites fail until the template's examples are replaced. Run it: npm run new-adapter NAME
 */
const templates = new URL("./adapter-template/", import.meta.url);

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    /** The npm package that `halyard runtime install` installs, as `name@version`. Defaults to `NAME@0.0.0`. */
    package: { type: "string" },
    /** The repository to change. Defaults to the repository of this script. */
    root: { type: "string", default: fileURLToPath(new URL("..", import.meta.url)) },
  },
});
const [name] = positionals;
if (name === undefined || positionals.length > 1 || !/^[a-z][a-z0-9-]*$/.test(name))
  fail("Usage: npm run new-adapter NAME, with a lower-case name such as my-agent");

const root = resolve(values.root);
const folder = join("src", "adapters", name);
if (await exists(join(root, folder))) fail(`${folder} already exists. Choose another name.`);

const pascal = name.replace(/(?:^|-)([a-z0-9])/g, (_, letter) => letter.toUpperCase());
const camel = `${pascal.charAt(0).toLowerCase()}${pascal.slice(1)}`;
const [, packageName, version] = /^(.+)@([^@]+)$/.exec(values.package ?? `${name}@0.0.0`) ?? [];
if (packageName === undefined || version === undefined)
  fail("--package needs a name and a version, such as @acme/agent@1.2.3");

const registrations = [
  insert("src/adapters/registry.ts", {
    before: /^ {2}pi: async/m,
    text: `  ${quoted(name)}: async (context) => (await import("./${name}/index.ts")).${camel}Adapter(context),\n`,
  }),
  insert("src/adapters/versions.ts", {
    before: /^\/\*\*[^/]*\*\/\nexport const scriptedModelPackage/m,
    text: `/** The tested release of ${pascal}. */
export const ${camel}Package: PinnedPackage = {
  name: "${packageName}",
  version: "${version}",
};\n\n`,
  }),
  insert("src/adapters/versions.ts", {
    before: /^ {2}\["pi", piPackage\],/m,
    text: `  ["${name}", ${camel}Package],\n`,
  }),
  insert("src/adapters/project-settings.ts", {
    before: /^import \{ piProjectSettings/m,
    text: `import { ${camel}ProjectSettings } from "./${name}/project-settings.ts";\n`,
  }),
  insert("src/adapters/project-settings.ts", {
    before: /^ {2}\{ runtime: "pi",/m,
    text: `  { runtime: "${name}", settings: ${camel}ProjectSettings },\n`,
  }),
  insert("scripts/bundle-cli.mjs", { before: /, "pi", "terminal"\];/, text: `, "${name}"` }),
];

/** The new contents by path. The script writes files only after it has found the expected text in each of them. */
const changed = new Map();
for (const { path, before, text } of registrations) {
  const content = changed.get(path) ?? (await readFile(join(root, path), "utf8"));
  const at = content.search(before);
  if (at < 0) fail(`${path} has no line that matches ${before}. Correct scripts/new-adapter.mjs.`);
  changed.set(path, content.slice(0, at) + text + content.slice(at));
}

const created = new Map();
for (const template of await readdir(templates, { recursive: true })) {
  if (!template.endsWith(".template")) continue;
  const path = template
    .replace(/\.template$/, "")
    .replace(/^real\.test\.ts$/, `${name}.real.test.ts`);
  const content = await readFile(new URL(template, templates), "utf8");
  const filled = content
    .replaceAll("{{name}}", name)
    .replaceAll("{{camel}}", camel)
    .replaceAll("{{Pascal}}", pascal);
  created.set(join(folder, path), filled);
}

for (const [path, content] of [...created, ...changed]) {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
}

console.log(`Created:
${list(created.keys())}
Changed:
${list(changed.keys())}
Next:
  1. Replace each TODO in ${folder}, and each fixture with a recording of the real program.
  2. Set the package and its version in src/adapters/versions.ts, then run "npm run lock-runtimes".
  3. Run "npm run fix", then "npx vitest run --project unit ${folder}".
  4. Follow the list in docs/adding-a-runtime.md.`);

/**
 * @param {string} path
 * @param {{ before: RegExp, text: string }} change
 */
function insert(path, change) {
  return { path, ...change };
}

/** @param {string} key */
function quoted(key) {
  return key.includes("-") ? `"${key}"` : key;
}

/** @param {Iterable<string>} paths */
function list(paths) {
  return [...paths].map((path) => `  ${path}`).join("\n");
}

/** @param {string} path */
async function exists(path) {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  console.error(message);
  process.exit(1);
}
