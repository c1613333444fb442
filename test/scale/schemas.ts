import { z } from "zod";

/** The part of the Compose specification that compose.yaml uses. Rejects other keys of a service, such as misspelled ones. */
export const Compose = z.object({
  services: z.record(
    z.string(),
    z.strictObject({
      image: z.string(),
      build: z.strictObject({ context: z.string(), dockerfile: z.string() }).optional(),
      command: z.string().transform((line) => line.split(/\s+/)),
      restart: z.enum(["no", "always", "on-failure", "unless-stopped"]),
      init: z.boolean().optional(),
      stop_signal: z.string().optional(),
      stop_grace_period: z
        .string()
        .regex(/^\d+s$/)
        .optional(),
      depends_on: z.array(z.string()).optional(),
      environment: z.record(z.string(), z.string()).optional(),
      ports: z.array(z.string()).optional(),
      volumes: z.array(z.string().regex(/^[\w-]+:\/\S+$/)),
    }),
  ),
  volumes: z.record(z.string(), z.null()),
});

const Quantity = z.string().regex(/^\d+(\.\d+)?(m|Ki|Mi|Gi|Ti)?$/);
const Name = z.string().regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/);
const Labels = z.record(z.string(), z.string());

const Container = z.strictObject({
  name: Name,
  image: z.string(),
  command: z.array(z.string()),
  args: z.array(z.string()),
  env: z.array(
    z.union([
      z.strictObject({ name: z.string(), value: z.string() }),
      z.strictObject({
        name: z.string(),
        valueFrom: z.strictObject({ fieldRef: z.strictObject({ fieldPath: z.string() }) }),
      }),
    ]),
  ),
  envFrom: z.array(z.strictObject({ secretRef: z.strictObject({ name: Name }) })),
  lifecycle: z.strictObject({
    preStop: z.strictObject({ exec: z.strictObject({ command: z.array(z.string()) }) }),
  }),
  resources: z.strictObject({
    requests: z.record(z.enum(["cpu", "memory"]), Quantity),
    limits: z.partialRecord(z.enum(["cpu", "memory"]), Quantity),
  }),
  volumeMounts: z.array(z.strictObject({ name: Name, mountPath: z.string().startsWith("/") })),
});

/** The part of the Deployment schema of Kubernetes that kubernetes.yaml uses. Rejects other keys. */
export const Deployment = z.strictObject({
  apiVersion: z.literal("apps/v1"),
  kind: z.literal("Deployment"),
  metadata: z.strictObject({ name: Name, labels: Labels }),
  spec: z.strictObject({
    replicas: z.number().int().positive(),
    selector: z.strictObject({ matchLabels: Labels }),
    template: z.strictObject({
      metadata: z.strictObject({ labels: Labels }),
      spec: z.strictObject({
        terminationGracePeriodSeconds: z.number().int(),
        automountServiceAccountToken: z.boolean(),
        securityContext: z.strictObject({
          runAsNonRoot: z.boolean(),
          runAsUser: z.number().int(),
          runAsGroup: z.number().int(),
          fsGroup: z.number().int(),
        }),
        containers: z.tuple([Container]),
        volumes: z.array(
          z.strictObject({ name: Name, emptyDir: z.strictObject({ sizeLimit: Quantity }) }),
        ),
      }),
    }),
  }),
});

/** The values that nats-values.yaml sets for the Helm chart of NATS. Rejects other keys. */
export const NatsValues = z.strictObject({
  config: z.strictObject({
    cluster: z.strictObject({ enabled: z.literal(true), replicas: z.number().int() }),
    jetstream: z.strictObject({
      enabled: z.literal(true),
      fileStore: z.strictObject({ pvc: z.strictObject({ size: Quantity }) }),
    }),
  }),
  podTemplate: z.strictObject({
    topologySpreadConstraints: z.record(
      z.string(),
      z.strictObject({ maxSkew: z.number().int(), whenUnsatisfiable: z.string() }),
    ),
  }),
});
