import { config } from "zod";

// Compiling a schema pays off only after several hundred messages. Short commands import this file before any schema,
// so that zod interprets schemas instead.
config({ jitless: true });
