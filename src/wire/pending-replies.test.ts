import { expect, test } from "vitest";
import { PendingReplies } from "./pending-replies.ts";

const asked = async () => {};

test("each reply goes to whoever asked for it, in whatever order they come", async () => {
  const replies = new PendingReplies<string>();
  const first = replies.expect("1", asked);
  const second = replies.expect("2", asked);
  replies.resolve("2", "two");
  replies.resolve("1", "one");
  expect(await Promise.all([first, second])).toEqual(["one", "two"]);
});

test("a reply that comes before the asking is over counts", async () => {
  const replies = new PendingReplies<string>();
  const ask = async () => {
    replies.resolve("1", "at once");
    throw new Error("the pipe broke behind it");
  };
  expect(await replies.expect("1", ask)).toBe("at once");
});

test("what cannot be asked is not waited for", async () => {
  const replies = new PendingReplies<string>();
  const broken = new Error("broken pipe");
  await expect(replies.expect("1", () => Promise.reject(broken))).rejects.toBe(broken);
});

test("a reply that nobody waits for, and a second one, are ignored", async () => {
  const replies = new PendingReplies<string>();
  replies.resolve("1", "before");
  replies.reject("1", new Error("before"));
  const reply = replies.expect("1", asked);
  replies.resolve("1", "first");
  replies.resolve("1", "second");
  expect(await reply).toBe("first");
});

test("closing rejects what is waited for, and asks for nothing more; its first reason counts", async () => {
  const replies = new PendingReplies<string>();
  const gone = new Error("gone");
  const reply = replies.expect("1", asked);
  replies.close(gone);
  replies.close(new Error("again"));
  await expect(reply).rejects.toBe(gone);
  let isAsked = false;
  const late = replies.expect("2", async () => {
    isAsked = true;
  });
  await expect(late).rejects.toBe(gone);
  expect([isAsked, replies.closedBy]).toEqual([false, gone]);
});
