//! The fields of every spec in v1alpha3. The version is frozen: what is not listed here, v1beta1 has added.

use super::fields::{Field, fields};

/// The fields of the spec of a kind that v1alpha3 has.
pub fn spec(kind: &str) -> Option<&'static [Field]> {
    SPECS.iter().find(|(name, _)| *name == kind).map(|(_, fields)| *fields)
}

/// Every kind that v1alpha3 has, with the fields of its spec.
pub const SPECS: [(&str, &[Field]); 12] = [
    ("ChartMuseum", CHART_MUSEUM),
    ("Core", CORE),
    ("Exporter", EXPORTER),
    ("Harbor", HARBOR),
    ("HarborCluster", HARBOR_CLUSTER),
    ("JobService", JOB_SERVICE),
    ("NotaryServer", NOTARY_SERVER),
    ("NotarySigner", NOTARY_SIGNER),
    ("Portal", PORTAL),
    ("Registry", REGISTRY),
    ("RegistryController", REGISTRY_CONTROLLER),
    ("Trivy", TRIVY),
];

const HARBOR: &[Field] = fields! {
    chartmuseum { ..PODS, absoluteUrl, certificateRefs },
    core { ..PODS, certificateRefs, metrics { ..METRICS }, tokenIssuer { group, kind, name } },
    database { hosts[] { host, port }, passwordRef, prefix, sslMode, username },
    exporter { ..PODS, cache { cleanInterval, duration }, path, port },
    expose { core { ..EXPOSE }, notary { ..EXPOSE } },
    externalURL,
    harborAdminPasswordRef,
    imageChartStorage {
        filesystem {
            chartPersistentVolume { ..CLAIM },
            registryPersistentVolume { ..CLAIM, maxthreads },
        },
        redirect { disable },
        s3 { ..S3 },
        swift { ..SWIFT },
    },
    imageSource { imagePullPolicy, imagePullSecrets, repository, tagSuffix },
    internalTLS { enabled },
    jobservice { ..PODS, certificateRefs, workerCount },
    logLevel,
    notary { migrationEnabled, server { ..PODS }, signer { ..PODS } },
    portal { ..PODS },
    proxy { ..PROXY, components },
    redis { certificateRef, host, passwordRef, port, sentinelMasterSet },
    registry {
        ..PODS, certificateRefs, metrics { ..METRICS }, relativeURLs, storageMiddlewares[] { ..MIDDLEWARE }
    },
    registryctl { ..PODS },
    trivy {
        ..PODS, certificateRefs, githubTokenRef, skipUpdate,
        storage { cachePersistentVolume { ..CLAIM }, reportsPersistentVolume { ..CLAIM } },
    },
    updateStrategyType,
    version,
};

const HARBOR_CLUSTER: &[Field] = fields! {
    ..HARBOR,
    inClusterCache {
        kind,
        redisSpec {
            ..IMAGE, sentinel { replicas }, server { replicas, resources, storage, storageClassName }
        },
    },
    inClusterDatabase {
        kind,
        postgresSqlSpec { ..IMAGE, replicas, resources, storage, storageClassName },
    },
    inClusterStorage {
        kind,
        minIOSpec {
            ..IMAGE, mc { ..IMAGE }, redirect { enable, expose { ..EXPOSE } },
            replicas, resources, secretRef, volumeClaimTemplate, volumesPerServer,
        },
    },
};

const CHART_MUSEUM: &[Field] = fields! {
    ..PODS,
    authentication { anonymousGet, basicAuthRef, bearer { certificateRef, realm, service } },
    cache { redis { ..REDIS } },
    certificateRefs,
    chart {
        allowOverwrite,
        index { parallelLimit, storageTimestampTolerance },
        onlySemver2,
        postFormFieldName { chart, provenance },
        repo { depth, depthDynamic },
        storage {
            amazon { accessKeyID, accessSecretRef, bucket, endpoint, prefix, region, serverSideEncryption },
            filesystem { ..VOLUME },
            maxStorageObject,
            openstack {
                authenticationURL, container, domain, domainID, passwordRef, prefix, region, tenant, tenantID,
                userid, username,
            },
        },
        url,
    },
    disable { api, delete, forceOverwrite, metrics, statefiles },
    log { debug, health, json, latencyInteger },
    server { corsAllowOrigin, maxUploadSize, readTimeout, tls { certificateRef }, writeTimeout },
};

const CORE: &[Field] = fields! {
    ..PODS,
    adminInitialPasswordRef,
    authMode,
    certificateRefs,
    components {
        chartRepository { absoluteURL, cacheDriver, url },
        jobService { secretRef, url },
        notaryServer { url },
        portal { url },
        registry {
            controllerURL, credentials { passwordRef, username }, redis { ..REDIS }, storageProviderName, sync, url
        },
        tls { certificateRef },
        tokenService { certificateRef, url },
        trivy { adapterURL, url },
    },
    configExpiration,
    csrfKeyRef,
    database { ..CORE_DATABASE },
    externalEndpoint,
    http { enableGzip },
    log { level },
    metrics { ..METRICS },
    proxy { ..PROXY },
    publicCertificateRef,
    redis { ..REDIS, idleTimeout },
    secretRef,
};

const EXPORTER: &[Field] = fields! {
    ..PODS,
    cache { cleanInterval, duration },
    core { url },
    database { ..CORE_DATABASE },
    log { level },
    path,
    port,
    tls { certificateRef },
};

const JOB_SERVICE: &[Field] = fields! {
    ..PODS,
    certificateRefs,
    core { secretRef, url },
    jobLoggers { ..LOGGERS },
    loggers { ..LOGGERS },
    proxy { ..PROXY },
    registry { controllerURL, credentials { passwordRef, username }, url },
    secretRef,
    tls { certificateRef },
    tokenService { url },
    workerPool { backend, redisPool { ..REDIS, idleTimeout, namespace }, workers },
};

const NOTARY_SERVER: &[Field] = fields! {
    ..PODS,
    authentication { token { ..TOKEN } },
    logging { level },
    migrationEnabled,
    storage { postgres { ..POSTGRES } },
    tls { certificateRef },
    trustService { remote { certificateRef, host, keyAlgorithm, port } },
};

const NOTARY_SIGNER: &[Field] = fields! {
    ..PODS,
    authentatication { certificateRef },
    logging { level },
    migrationEnabled,
    storage { aliasesRef, postgres { ..POSTGRES } },
};

const PORTAL: &[Field] = fields! { ..PODS, maxConnections, tls { certificateRef } };

const REGISTRY: &[Field] = fields! {
    ..PODS,
    authentication { htPasswd { realm, secretRef }, silly { realm, service }, token { ..TOKEN } },
    certificateRefs,
    compatibility { schema1 { certificateRef, enabled } },
    health {
        file[] { interval, path },
        http[] { headers, interval, statuscode, threshold, timeout, uri },
        storageDriver { enabled, interval, threshold },
        tcp[] { address, interval, threshold, timeout },
    },
    http {
        debug { port, prometheus { enabled, path } },
        drainTimeout, headers, host, http2 { disabled }, net, prefix, relativeURLs, secretRef,
        tls { certificateRef },
    },
    log { accessLog { disabled }, fields, formatter, hooks[] { levels, optionsRef, type }, level },
    middlewares {
        registry[] { ..MIDDLEWARE }, repository[] { ..MIDDLEWARE }, storage[] { ..MIDDLEWARE }
    },
    notifications {
        endpoints[] {
            backoff, disabled, headers, ignore { actions, mediaTypes }, ignoredMediaTypes, name, threshold,
            timeout, url,
        },
        events { includeReferences },
    },
    proxy { ..PROXY },
    redis { ..REDIS, dialTimeout, pool { idleTimeout, maxActive, maxIdle }, readTimeout, writeTimeout },
    reporting,
    storage {
        cache { blobdescriptor },
        delete { enabled },
        driver { filesystem { ..VOLUME, maxthreads }, inmemory, s3 { ..S3 }, swift { ..SWIFT } },
        maintenance { readOnly { enabled }, uploadPurging { age, dryRun, enabled, interval } },
        redirect { disable },
    },
    validation { disabled, manifests { urls { allow, deny } } },
};

const REGISTRY_CONTROLLER: &[Field] = fields! {
    ..PODS,
    authentication { coreSecretRef, jobServiceSecretRef },
    log { level },
    registryRef,
    tls { certificateRef },
};

const TRIVY: &[Field] = fields! {
    ..PODS,
    certificateRefs,
    log { level },
    proxy { ..PROXY },
    redis {
        ..REDIS, jobs { Namespace, scanTTL }, namespace,
        pool { connectionTimeout, idleTimeout, maxActive, maxIdle, readTimeout, writeTimeout },
    },
    server {
        clientCertificateAuthorityRefs, debugMode, idleTimeout, ignoreUnfixed, insecure, proxy { URL, noProxy },
        readTimeout, tls { certificateRef }, tokenServiceCertificateAuthorityRefs, writeTimeout,
    },
    severities,
    storage { cache { ..VOLUME }, reports { ..VOLUME } },
    update { githubTokenRef, skip },
    vulnerabilityTypes,
};

const IMAGE: &[Field] = fields! { image, imagePullPolicy, imagePullSecrets };

const PODS: &[Field] = fields! {
    ..IMAGE, nodeSelector, replicas, resources, serviceAccountName, templateAnnotations, templateLabels,
    tolerations,
};

const EXPOSE: &[Field] = fields! { ingress { annotations, controller, host }, tls { certificateRef } };
const METRICS: &[Field] = fields! { enabled, path, port };
const PROXY: &[Field] = fields! { httpProxy, httpsProxy, noProxy };
const CLAIM: &[Field] = fields! { claimName, prefix, readOnly };
const VOLUME: &[Field] = fields! { prefix, volumeSource };
const MIDDLEWARE: &[Field] = fields! { name, optionsRef };
const TOKEN: &[Field] = fields! { autoredirect, certificateRef, issuer, realm, service };
const REDIS: &[Field] = fields! { certificateRef, database, host, passwordRef, port, sentinelMasterSet };
const POSTGRES: &[Field] = fields! { database, hosts[] { host, port }, parameters, passwordRef, username };

const CORE_DATABASE: &[Field] = fields! {
    ..POSTGRES, encryptionKeyRef, maxIdleConnections, maxOpenConnections
};

const LOGGERS: &[Field] = fields! {
    database { level, sweeper }, files[] { level, sweeper, volume }, stdout { level }
};

const S3: &[Field] = fields! {
    accesskey, bucket, certificateRef, chunksize, encrypt, keyid, region, regionendpoint, rootdirectory,
    secretkeyRef, secure, skipverify, storageclass, v4auth,
};

const SWIFT: &[Field] = fields! {
    accesskey, authurl, authversion, chunksize, container, domain, domainID, endpointtype, insecureskipverify,
    passwordRef, prefix, region, secretkeyRef, tenant, tenantID, trustid, username,
};
