# A worker with git and the agents that its sessions use.
FROM node:22-bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends git ca-certificates openssh-client \
  && rm -rf /var/lib/apt/lists/*
RUN npm install -g halyard @nats-io/transport-node @nats-io/jetstream
RUN mkdir -p /home/node/.halyard && chown node:node /home/node/.halyard
USER node
RUN halyard runtime install claude && halyard runtime install codex
