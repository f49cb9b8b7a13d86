# docker build -t tidings --build-arg VERSION=0.1.0 --build-arg COMMIT=$(git rev-parse HEAD) .

FROM node:24-bookworm-slim AS build
WORKDIR /opt/tidings
COPY . .
RUN npm ci --omit=dev
# What only builds need goes: tools, a second Node.js, and what the pages are made from. It is struck out before the build, since the bundle is
# one of exactly this package.json, and uninstalled after it.
RUN npm pkg delete devDependencies --workspaces --include-workspace-root \
 && npm pkg delete dependencies --include-workspace-root --workspace @tidings/dashboard --workspace @tidings/web --workspace @tidings/device --workspace @tidings/bench \
 && npm pkg delete dependencies.esbuild --workspace @tidings/server \
 && node packages/web/scripts/build.ts && node packages/device/scripts/build.ts && node apps/dashboard/scripts/build.ts && node apps/server/scripts/build.ts \
 && npm prune --no-save \
 && npm sbom --sbom-format cyclonedx > sbom.cdx.json
ARG COMMIT=""
RUN echo "$COMMIT" > .commit

FROM node:24-bookworm-slim
# Git reads the repositories that campaigns and drafts come from, some of them by SSH.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates git openssh-client \
 && apt-get clean \
 && rm -rf /var/lib/apt/lists/* \
 && install --directory --owner=node --group=node --mode=0700 /var/lib/tidings \
 && ln -s /opt/tidings/apps/server/bin/tidings.mjs /usr/local/bin/tidings
WORKDIR /opt/tidings
COPY --from=build /opt/tidings/node_modules node_modules
COPY --from=build /opt/tidings/packages packages
COPY --from=build /opt/tidings/apps/dashboard/package.json apps/dashboard/package.json
COPY --from=build /opt/tidings/apps/dashboard/dist apps/dashboard/dist
COPY --from=build /opt/tidings/docs/audiences.md docs/audiences.md
COPY --from=build /opt/tidings/apps/server apps/server
COPY --from=build /opt/tidings/package.json /opt/tidings/package-lock.json /opt/tidings/.commit /opt/tidings/sbom.cdx.json \
  /opt/tidings/LICENSE /opt/tidings/NOTICE /opt/tidings/THIRD-PARTY.md /opt/tidings/CHANGELOG.md ./
# A build ends here where the server would start from its sources.
RUN node --input-type=module --eval 'import { findBundle } from "./apps/server/bin/bundle.mjs"; if (!findBundle("apps/server")) throw new Error("The bundle is not of these sources.")'

ARG VERSION=""
ARG COMMIT=""
LABEL org.opencontainers.image.title="Tidings" \
  org.opencontainers.image.description="Targeted messages to the users of a product, measured exactly." \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="$VERSION" \
  org.opencontainers.image.revision="$COMMIT"
ENV HOST=0.0.0.0 PORT=8080 DATA_DIR=/var/lib/tidings
VOLUME /var/lib/tidings
EXPOSE 8080
USER node
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=16", "--heap-growing-percent=110", "apps/server/bin/tidings.mjs", "serve"]
