# A worker with git and the agents that its sessions use.
FROM node:22-bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends git ca-certificates openssh-client \
  && rm -rf /var/lib/apt/lists/*
RUN npm install -g halyard @nats-io/transport-node @nats-io/jetstream
USER node
# The files of sessions are in clusters, which is a volume. The agents stay in the image, so that a new image updates them.
RUN mkdir -p /home/node/.halyard/clusters && chmod 700 /home/node/.halyard
RUN halyard runtime install claude && halyard runtime install codex
