/* Keeps the shell of the page, so that it opens while the server restarts. It never touches the API or its data. */
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

/** Files with a hash in their name never change. Those of older versions are removed when a new one is stored. */
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

/** Removes the assets of another version: those that the new index does not name, if its script is not kept yet. */
async function forgetOld(cache, index) {
  const html = await index.text();
  const script = /assets\/main-[^"]+\.js/.exec(html)?.[0];
  const keys = await cache.keys();
  if (script === undefined || keys.some(({ url }) => url.endsWith(script))) return;
  for (const key of keys) if (key.url.includes("/assets/")) await cache.delete(key);
}
