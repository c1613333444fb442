/** Opens a store in this new process, searches once, and sends the times and the number of hits to the parent process. */
import { openSqliteStore } from "../../dist/stores/sqlite/store.js";

const [, , file = "", words = "", options = "{}"] = process.argv;
const store = await openSqliteStore(file);
const cpuBefore = process.cpuUsage();
const startedAt = performance.now();
const { hits, pending } = await store.search(words, JSON.parse(options));
const ms = performance.now() - startedAt;
const { user, system } = process.cpuUsage(cpuBefore);
await store[Symbol.asyncDispose]();
process.send?.({ ms, cpuMs: (user + system) / 1000, hits: hits.length, pending });
