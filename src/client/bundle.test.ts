import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import * as esbuild from "esbuild";
import { rolldown } from "rolldown";
import { build } from "vite";
import { expect, test } from "vitest";

/** The script of a web page that connects to a server. */
const page = `import { connectHalyard } from "halyard/client";
globalThis.sessions = () => connectHalyard(location.origin).then((halyard) => halyard.sessions());`;

const root = fileURLToPath(new URL("../..", import.meta.url));
const PAGE = "virtual:page";
const virtualPage = {
  name: "page",
  resolveId: (id: string) => (id === PAGE ? PAGE : undefined),
  load: (id: string) => (id === PAGE ? page : undefined),
};

test("bundles for a browser without warnings or Node modules, in less than 30 KB compressed", async () => {
  const problems: string[] = [];
  const bundle = await rolldown({
    input: PAGE,
    cwd: root,
    platform: "browser",
    plugins: [virtualPage],
    onLog: (level, { message }) => void problems.push(`${level}: ${message}`),
  });
  const { output } = await bundle.generate({ format: "esm", minify: true });
  const chunks = output.filter((file) => file.type === "chunk");
  expect(problems).toEqual([]);
  expect(chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports])).toEqual(
    [],
  );
  const code = chunks.map((chunk) => chunk.code).join("");
  expect(code).not.toMatch(/node:|zod/i);
  expect(gzipSync(code).length).toBeLessThan(30_000);
});

test("bundles with Vite without warnings", async () => {
  const problems: string[] = [];
  await build({
    root,
    configFile: false,
    logLevel: "silent",
    plugins: [virtualPage],
    build: {
      write: false,
      rolldownOptions: {
        input: PAGE,
        onLog: (level, { message }) => void problems.push(`${level}: ${message}`),
      },
    },
  });
  expect(problems).toEqual([]);
});

test("bundles with esbuild without warnings", async () => {
  const { warnings } = await esbuild.build({
    stdin: { contents: page, resolveDir: root },
    bundle: true,
    format: "esm",
    platform: "browser",
    write: false,
    logLevel: "silent",
  });
  expect(warnings).toEqual([]);
});
