import { errorTable } from "../../schema/error-table.ts";
import type { Json, OpenApiDocument } from "./openapi.ts";

/** Renders the OpenAPI document as one HTML page without external files. */
export function docsPage({ info, paths, components }: OpenApiDocument): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => toSection(method, path, operation)),
  );
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `<h3 id="${name}">${name}</h3>${code(schema)}`,
  );
  const errors = Object.entries(errorTable).map(
    ([name, { httpStatus, meaning }]) =>
      `<tr id="error-${name}"><td>${httpStatus}</td><td><code>${name}</code></td><td>${escapeHtml(meaning)}</td></tr>`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Halyard's HTTP API</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
code, pre { font: 14px/1.4 ui-monospace, monospace; }
pre { overflow: auto; padding: 0.75rem; background: #8881; }
td { padding: 0.2rem 1rem 0.2rem 0; vertical-align: top; }
h2 { margin-top: 2.5rem; }
:root { color-scheme: light dark; }
</style>
<h1>Halyard's HTTP API</h1>
<p>${escapeHtml(String(info.description))} Version ${escapeHtml(String(info.version))}. Also available as
<a href="openapi.json">OpenAPI 3.1</a>. Over TCP, programs must send <code>Authorization: Bearer TOKEN</code>, and browsers
must be signed in. Requests over the user's own unix socket need neither.</p>
${operations.join("\n")}
<h2>Schemas</h2>
${schemas.join("\n")}
<h2>Errors</h2>
<p>Every error is <code>application/problem+json</code> with one of these codes.</p>
<table>${errors.join("\n")}</table>
</html>
`;
}

function toSection(method: string, path: string, operation: Json): string {
  const { operationId, summary, parameters, requestBody, responses } = operation;
  return `<h2 id="${operationId}"><code>${method.toUpperCase()} ${escapeHtml(path)}</code></h2>
<p>${escapeHtml(String(summary))}</p>
${isEmpty(parameters) ? "" : `<p>Parameters</p>${code(parameters)}`}
${requestBody === undefined ? "" : `<p>Body</p>${code(requestBody)}`}
<p>Responses</p>${code(responses)}`;
}

/** Renders a part of the document as JSON with links to its schemas. */
function code(value: unknown): string {
  const text = escapeHtml(JSON.stringify(value, undefined, 2));
  const linked = text.replace(/#\/components\/schemas\/(\w+)/g, '<a href="#$1">$1</a>');
  return `<pre>${linked}</pre>`;
}

function isEmpty(value: unknown): boolean {
  return !Array.isArray(value) || value.length === 0;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
