# Firn alone: Node, the built package, its dependencies. Runs as nobody in particular, on a root file
# system that may be read-only (`--read-only --tmpfs /tmp`). Profiles `aws` and `bucket` keep nothing
# here; profile `local` wants a volume at /data.
FROM node:24-bookworm-slim AS build
WORKDIR /firn
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund --ignore-scripts --workspaces=false
COPY tsconfig.json tsconfig.build.json ./
COPY .ci ./.ci
COPY src ./src
RUN npm run build

FROM node:24-bookworm-slim AS dependencies
WORKDIR /firn
COPY package.json package-lock.json .npmrc ./
# The image brings its own Node, which a clone gets from the workspace `.ci/node`.
RUN npm ci --no-audit --no-fund --ignore-scripts --workspaces=false --omit=dev --omit=optional

FROM node:24-bookworm-slim
WORKDIR /firn
COPY package.json LICENSE NOTICE ./
COPY bin ./bin
COPY --from=dependencies /firn/node_modules ./node_modules
COPY --from=build /firn/dist ./dist
RUN install --directory --owner=node --group=node /data
# Names that other containers reach this one by, none of them a web site's; see --allow-host.
ENV NODE_ENV=production FIRN_DIR=/data FIRN_ALLOW_HOST=firn,host.docker.internal
VOLUME /data
EXPOSE 8181
USER node
HEALTHCHECK --interval=5s --timeout=3s --start-period=10s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.FIRN_PORT ?? 8181}/livez`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--max-semi-space-size=16", "bin/firn.mjs"]
CMD ["serve"]
