import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress } from "node:zlib";
import * as esbuild from "esbuild";

/**
 * Builds the page into `dist/web`: scripts and styles with a hash in their name below `assets/`, and each text file also
 * compressed with brotli. The server itself compresses files for the few clients that accept only gzip. Paths in
 * `index.html` are relative, so that a server can mount the page at any path.
 */
const root = fileURLToPath(new URL("..", import.meta.url));
const source = join(root, "src/web");
const target = process.argv[2] ?? join(root, "dist/web");

await rm(target, { recursive: true, force: true });
await mkdir(target, { recursive: true });
/** @type {esbuild.BuildOptions} */
const common = {
  bundle: true,
  minify: true,
  format: "esm",
  platform: "browser",
  target: ["es2022", "chrome111", "firefox113", "safari16.4"],
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  logLevel: "warning",
  absWorkingDir: root,
};
const { metafile } = await esbuild.build({
  ...common,
  entryPoints: [join(source, "main.tsx"), join(source, "styles/main.css")],
  outdir: join(target, "assets"),
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  splitting: true,
  metafile: true,
});

const entries = Object.entries(metafile.outputs).filter(([, { entryPoint }]) => entryPoint);
const script = outputOf("main.tsx");
const style = outputOf("main.css");
const html = await readFile(join(source, "index.html"), "utf8");
await writeFile(
  join(target, "index.html"),
  html.replace("main.tsx", `assets/${script}`).replace("styles/main.css", `assets/${style}`),
);
for (const name of await readdir(join(source, "static")))
  await copyFile(join(source, "static", name), join(target, name));
await compressAll();

// One script without imports, for `halyard export --html`: a page from disk cannot load other files.
await esbuild.build({
  ...common,
  entryPoints: { page: join(source, "main.tsx") },
  outdir: join(target, "export"),
});

/** @param {string} name */
function outputOf(name) {
  const found = entries.find(([, { entryPoint }]) => entryPoint?.endsWith(`/${name}`));
  if (!found) throw new Error(`The bundle has no output for ${name}.`);
  return basename(found[0]);
}

async function compressAll() {
  for (const path of await readdir(target, { recursive: true })) {
    if (!/\.(js|css|html|svg|webmanifest)$/.test(path)) continue;
    const content = await readFile(join(target, path));
    await writeFile(join(target, `${path}.br`), await promisify(brotliCompress)(content));
  }
}
