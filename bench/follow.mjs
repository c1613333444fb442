import { writeFile } from "node:fs/promises";
