# The operator and nothing else: one static binary, no shell, no libraries, no user but one that may do nothing.
#
#   docker build --build-arg COMMIT="$(git rev-parse --short HEAD)" --tag goharbor/harbor-operator:0.1.0 .

# On Alpine, Rust links statically against musl; the C compiler that ring and jemalloc ask for is in the image. The digest
# decides which image that is, the tag tells people; `docker buildx imagetools inspect rust:1.95-alpine` prints the current one.
FROM rust:1.95-alpine@sha256:606fd313a0f49743ee2a7bd49a0914bab7deedb12791f3a846a34a4711db7ed2 AS build
# hadolint ignore=DL3018
RUN apk add --no-cache make
WORKDIR /source
COPY . .
ARG COMMIT
# Without the sandbox, which is for trying things out. What was compiled is kept for the next build, the binary is not.
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/source/target \
    HARBOR_OPERATOR_COMMIT="${COMMIT:-unknown}" \
    cargo build --locked --release --package cli --no-default-features --features jemalloc,otlp && \
    install -D target/release/harbor-operator /image/harbor-operator

FROM scratch
ARG COMMIT
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="harbor-operator" \
      org.opencontainers.image.description="Installs and runs Harbor on Kubernetes" \
      org.opencontainers.image.source="https://github.com/goharbor/harbor-operator" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${COMMIT}"
COPY --from=build /image/harbor-operator /harbor-operator
USER 65532:65532
ENTRYPOINT ["/harbor-operator"]
CMD ["run"]
