import { expect, test } from "vitest";
import { NatsServer } from "../../../test/nats/nats-server.ts";
import { withCluster } from "./with-cluster.ts";

test("rejects with the error of `work`, or with `unreachable` if the cluster does not respond", async () => {
  await using nats = await NatsServer.start();
  const env = { HALYARD_CLUSTER: nats.url };
  const fault = new TypeError("x is not a function");
  await expect(withCluster({ env }, () => Promise.reject(fault))).rejects.toBe(fault);
  const request = withCluster({ env }, ({ connection }) => connection.request("nowhere"));
  await expect(request).rejects.toMatchObject({
    code: "unreachable",
    message: expect.stringMatching(
      /^The cluster does not respond: .*[^.]\. Check that its NATS servers are running\.$/,
    ),
  });
  const closed = withCluster({ env }, async ({ connection }) => {
    await connection.close();
    return connection.request("nowhere");
  });
  await expect(closed).rejects.toMatchObject({ code: "unreachable" });
});
