import { config } from "zod";

// A schema that is compiled parses faster, which makes up for the compiling after some hundred messages. To be loaded
// before all schemas, for a command that ends before that.
config({ jitless: true });
