/* Caches the page's own files, so that the page opens while the server restarts. Does not handle API requests. */
const CACHE = "halyard-shell";

addEventListener("install", () => skipWaiting());

addEventListener("activate", (event) => event.waitUntil(clients.claim()));

addEventListener("fetch", (event) => {
  const { request } = event;
  const base = new URL("./", location.href);
  const url = new URL(request.url);
  const path = url.pathname.slice(base.pathname.length);
  const isShell = path === "" || path.startsWith("assets/") || path === "icon.svg";
  if (request.method !== "GET" || url.origin !== base.origin || !isShell) return;
  event.respondWith(path.startsWith("assets/") ? keptFirst(request) : newestFirst(request));
});

/** Returns the cached file if there is one, because a file with a hash in its name never changes. */
async function keptFirst(request) {
  const cache = await caches.open(CACHE);
  return (await cache.match(request)) ?? store(cache, request);
}

async function newestFirst(request) {
  const cache = await caches.open(CACHE);
  try {
    return await store(cache, request);
  } catch (error) {
    const kept = await cache.match(request);
    if (kept) return kept;
    throw error;
  }
}

async function store(cache, request) {
  const response = await fetch(request);
  if (response.ok) {
    if (new URL(request.url).pathname.endsWith("/")) await forgetOld(cache, response.clone());
    await cache.put(request, response.clone());
  }
  return response;
}

/**
 * Removes all cached assets if the main script of the new index is not cached, because the assets then belong to
 * another version.
 */
async function forgetOld(cache, index) {
  const html = await index.text();
  const script = /assets\/main-[^"]+\.js/.exec(html)?.[0];
  const keys = await cache.keys();
  if (script === undefined || keys.some(({ url }) => url.endsWith(script))) return;
  for (const key of keys) if (key.url.includes("/assets/")) await cache.delete(key);
}
