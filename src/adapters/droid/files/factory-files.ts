import { basename, dirname, join } from "node:path";
import {
  linkAgentFile,
  listAgentFiles,
  readAgentFile,
  removeAgentFiles,
  writeAgentFile,
} from "../../../permissions/agent-writable.ts";

/*
 * Access to the `.factory` directory in a session's Droid home. A Droid in a container can write to this directory, so
 * all access goes through `agent-writable.ts`.
 */

export function writeFactoryFile(home: string, name: string, text: string): void {
  writeAgentFile(dirname(home), pathOf(home, name), text);
}

export function linkFactoryFile(home: string, name: string, target: string): void {
  linkAgentFile(dirname(home), pathOf(home, name), target);
}

/** Reads a file in the `.factory` directory. Returns undefined if the file is missing or a link. */
export function readFactoryFile(home: string, name: string): string | undefined {
  return readAgentFile(dirname(home), pathOf(home, name));
}

export function listFactoryFiles(home: string, name: string) {
  return listAgentFiles(dirname(home), pathOf(home, name));
}

export function removeFactoryFile(home: string, name: string): void {
  removeAgentFiles(dirname(home), pathOf(home, name));
}

function pathOf(home: string, name: string): string {
  return join(basename(home), ".factory", name);
}
