export type { RuntimeUnderTest } from "./adapter-suite/runtime-under-test.ts";
export type { ContainerRuntimeUnderTest } from "./container-suite/runtime-test.ts";
export { describeAdapter } from "./describe-adapter.ts";
export { describeContainerRuntime } from "./describe-container-runtime.ts";
export { describeHost } from "./describe-host.ts";
export { describeMapper, type MapperOptions } from "./describe-mapper.ts";
export {
  type DescribeStoreOptions,
  describeStore,
  type StoreUnderTest,
} from "./describe-store.ts";
export type { HalyardFixture, OpenFixture } from "./halyard/fixture.ts";
export { describeHalyard } from "./halyard/index.ts";
export type { HostUnderTest } from "./host-suite/host-test.ts";
