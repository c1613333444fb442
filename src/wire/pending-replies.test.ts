import { expect, test } from "vitest";
import { PendingReplies } from "./pending-replies.ts";

const asked = async () => {};

test("matches replies to requests in any order", async () => {
  const replies = new PendingReplies<string>();
  const first = replies.expect("1", asked);
  const second = replies.expect("2", asked);
  replies.resolve("2", "two");
  replies.resolve("1", "one");
  expect(await Promise.all([first, second])).toEqual(["one", "two"]);
});

test("accepts a reply that arrives before the request is sent completely", async () => {
  const replies = new PendingReplies<string>();
  const ask = async () => {
    replies.resolve("1", "at once");
    throw new Error("the pipe broke behind it");
  };
  expect(await replies.expect("1", ask)).toBe("at once");
});

test("rejects if the request cannot be sent", async () => {
  const replies = new PendingReplies<string>();
  const broken = new Error("broken pipe");
  await expect(replies.expect("1", () => Promise.reject(broken))).rejects.toBe(broken);
});

test("ignores a reply without a request and a second reply", async () => {
  const replies = new PendingReplies<string>();
  replies.resolve("1", "before");
  replies.reject("1", new Error("before"));
  const reply = replies.expect("1", asked);
  replies.resolve("1", "first");
  replies.resolve("1", "second");
  expect(await reply).toBe("first");
});

test("rejects pending and later requests with the first reason after close()", async () => {
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
