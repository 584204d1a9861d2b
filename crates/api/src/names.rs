//! The names of annotations, labels, finalizers and field managers that the operator and its sandbox read or write.
//!
//! Users have them in scripts and stored objects carry them, so a name never changes. Unqualified labels of other
//! operators' pods, such as `app`, are written where the sandbox imitates that operator.

/// Set by users to `true` on an object: the operator may take it over, although another program created it.
pub const ADOPT_ANNOTATION: &str = "goharbor.io/adopt";

/// Set by users on custom resources, and copied by the operator to all children: only an operator of this class
/// reconciles the object.
pub const CLASS_ANNOTATION: &str = "goharbor.io/harbor-class";

/// Set by users on a Harbor or HarborCluster: the services, separated by commas, whose data they have moved to the place
/// in the spec.
pub const MOVED_ANNOTATION: &str = "goharbor.io/data-moved";

/// Set by users on a Harbor or HarborCluster: the version of the database backup they have restored, to which the Harbor may
/// go back.
pub const RESTORED_ANNOTATION: &str = "goharbor.io/database-restored";

/// Set by users on a HarborCluster, a Harbor or a Core whose migration of the database has failed or is lost: the attempt
/// that the operator may make, as the status names it, such as `2.15.0-2`.
pub const RETRY_MIGRATION_ANNOTATION: &str = "goharbor.io/retry-migration";

/// Set by users on a HarborCluster, a Harbor or a Core whose database is dirty: the attempt to migrate the database that
/// begins with a repair of the schema, as the status names it, such as `2.15.0-2`.
pub const REPAIR_SCHEMA_ANNOTATION: &str = "goharbor.io/repair-schema";

/// Set by users on a HarborCluster, a Harbor or a Core: the Secret with another key, with which the operator encrypts the
/// credentials in the database.
pub const ROTATE_ENCRYPTION_KEY_ANNOTATION: &str = "goharbor.io/rotate-encryption-key";

/// Set by users to `true` on a child, and by the operator on Secrets with generated values: the operator never changes
/// the object again.
pub const IMMUTABLE_ANNOTATION: &str = "goharbor.io/immutable";

/// Set by the operator on the components of a Harbor: the ingress controller, for which Services need a type or
/// annotations of their own.
pub const INGRESS_CONTROLLER_ANNOTATION: &str = "goharbor.io/ingress-controller";

/// Set by the operator on a child that outlives its owner: the owner. The garbage collector would act on an owner
/// reference.
pub const KEPT_ANNOTATION: &str = "goharbor.io/kept-for";

/// Set by users on a Harbor or HarborCluster: whether the operator creates network policies, `true` or `false`. Set by
/// the operator to `false` on components, because their policies belong to the Harbor.
pub const NETWORK_POLICIES_ANNOTATION: &str = "goharbor.io/network-policies";

/// Set by users on a custom resource of day 2: with each new value the operator compares the object with its Harbor at once, and
/// sends what Harbor does not show, such as passwords, again.
pub const RECONCILE_AT_ANNOTATION: &str = "goharbor.io/reconcile-at";

/// Set by users on a Namespace: the HarborServerConfiguration of the Harbor that its pods pull images from.
pub const HARBOR_ANNOTATION: &str = "goharbor.io/harbor";

/// Set by users on a Namespace: the project that its pods pull images from, or `*` for one of its own.
pub const PROJECT_ANNOTATION: &str = "goharbor.io/project";

/// Set by users on a Namespace: the id of the robot account of the project.
pub const ROBOT_ANNOTATION: &str = "goharbor.io/robot";

/// Set by users on a Namespace: the Secret in it that has the password of the robot account.
pub const ROBOT_PASSWORD_ANNOTATION: &str = "goharbor.io/robot-password-secret";

/// Set by users on a Namespace with a project of its own: `pull` or `push`.
pub const ROBOT_ACCESS_ANNOTATION: &str = "goharbor.io/robot-access";

/// Set by users on a Namespace: the ServiceAccount whose pods pull images; `default` unless set.
pub const SERVICE_ACCOUNT_ANNOTATION: &str = "goharbor.io/service-account";

/// Set by the operator on objects that it creates for the annotations of a Namespace: `namespace`.
pub const MADE_FOR_LABEL: &str = "goharbor.io/made-for";

/// Set by users on a Namespace: the ConfigMap in it that says how images of pods are rewritten.
pub const REWRITING_RULES_ANNOTATION: &str = "goharbor.io/rewriting-rules";

/// Set by users to `enabled` on a Namespace: the operator rewrites images of pods that are created in it.
pub const REWRITING_LABEL: &str = "harbor-day2-webhook-configuration";

/// Set by users to `false` on a pod: the operator does not rewrite its images.
pub const REWRITE_LABEL: &str = "goharbor.io/rewrite";

/// Set by the operator on a pod: how many of its images it has rewritten.
pub const REWRITTEN_ANNOTATION: &str = "goharbor.io/rewritten";

/// Set by users to `true` on a custom resource: the operator does not reconcile it.
pub const PAUSE_ANNOTATION: &str = "goharbor.io/pause";

/// Set by the operator on the pods of nginx: the addresses of the Services that nginx has resolved. Pods are replaced
/// when a Service gets another address.
pub const UPSTREAM_ADDRESSES_ANNOTATION: &str = "goharbor.io/upstream-addresses";

/// Set by the operator on objects that are read in v1alpha3: the fields that only v1beta1 has, as JSON. They come back
/// when the object is written in v1alpha3.
pub const V1BETA1_FIELDS_ANNOTATION: &str = "goharbor.io/v1beta1-fields";

/// Set by the operator, or by users without a Harbor, on every component: the version of Harbor, from which its image
/// and its settings follow.
pub const VERSION_ANNOTATION: &str = "harbor.goharbor.io/version";

/// Set by the operator on pods: the digest of the Secrets and ConfigMaps they use. Pods are replaced when, and only
/// when, it changes.
pub const INPUTS_ANNOTATION: &str = "checksum.goharbor.io/inputs";

/// Set by the operator on Deployments: the passwords of the database and of Redis that their pods have restarted for, as digests
/// that only the operator can compute. Pods do not restart for it. A label, because another annotation is another generation of
/// a Deployment, which would not be ready for a moment.
pub const RESTARTED_LABEL: &str = "checksum.goharbor.io/restarted";

/// Set by the operator on a Secret: the value of `key` means the same as the one before it, so pods are not replaced.
pub fn equivalence_annotation(key: &str) -> String {
    format!("checksum.goharbor.io/same-{key}")
}

/// Set by the operator on pods that do one task and end: the task. The watch of pods selects by it.
pub const TASK_LABEL: &str = "goharbor.io/task";

/// Set by the operator on such a pod: what it does while it runs.
pub const PURPOSE_ANNOTATION: &str = "goharbor.io/purpose";

/// Set by the operator on such a pod: what a user can do when it has failed.
pub const REMEDY_ANNOTATION: &str = "goharbor.io/remedy";

/// Set by the operator on such a pod: a digest of what it was made from.
pub const TASK_DIGEST_ANNOTATION: &str = "goharbor.io/task-digest";

/// Set by the operator on a Deployment, or on a JobService, that it keeps without pods: why, and until when.
pub const STOPPED_ANNOTATION: &str = "goharbor.io/stopped";

/// Set by the operator on a JobService before it pauses queues: which ones, with commas. It resumes these and no others.
pub const PAUSED_QUEUES_ANNOTATION: &str = "goharbor.io/paused-queues";

/// Set by the operator on the Core of a Harbor: what the migration of its database waits for.
pub const MIGRATION_WAITS_ANNOTATION: &str = "goharbor.io/migration-waits";

/// Set by the operator, and by the old operator, on every child: the component that it belongs to. The watches of
/// children select by it.
pub const CONTROLLER_LABEL: &str = "goharbor.io/operator-controller";

/// Set by the operator, and by the old operator, on the services of a HarborCluster: the name of the HarborCluster.
pub const HARBOR_CLUSTER_LABEL: &str = "goharbor.io/harbor-cluster";

/// Set by the old operator only, on all of its children: its version.
pub const OPERATOR_VERSION_LABEL: &str = "goharbor.io/operator-version";

/// Set by the operator on the pods of a component, and part of their selectors: the name of the component.
pub fn pod_name_label(component: &str) -> String {
    format!("{component}.goharbor.io/name")
}

/// Set by the operator on the pods of a component, and part of their selectors: the namespace of the component.
pub fn pod_namespace_label(component: &str) -> String {
    format!("{component}.goharbor.io/namespace")
}

/// How the field managers of the operator begin; the name of the component that applies an object follows.
pub const FIELD_MANAGER_PREFIX: &str = "harbor-operator/";

/// Set by users on any object in the sandbox: the object fails with this message until they remove the annotation.
pub const SANDBOX_FAIL_ANNOTATION: &str = "sandbox.goharbor.io/fail";

/// Set by users on any object in the sandbox: how long the object takes to become ready, such as `30s` or `1m30s`.
pub const SANDBOX_DELAY_ANNOTATION: &str = "sandbox.goharbor.io/delay";

/// Set by the sandbox on the Secret of a Certificate: what the certificate was issued from.
pub const SANDBOX_ISSUED_FROM_ANNOTATION: &str = "sandbox.goharbor.io/issued-from";

/// Set by the sandbox on the Secret of a Certificate: how often a certificate has been issued into it.
pub const SANDBOX_REVISION_ANNOTATION: &str = "sandbox.goharbor.io/revision";

/// Set by the operator on every child and its pods: the component.
pub const COMPONENT_LABEL: &str = "app.kubernetes.io/component";

/// Set by the operator on every child and its pods: the name of the owner.
pub const INSTANCE_LABEL: &str = "app.kubernetes.io/instance";

/// Set by the operator on every child and its pods: `harbor-operator`.
pub const MANAGED_BY_LABEL: &str = "app.kubernetes.io/managed-by";

/// Set by the operator on every child and its pods: `harbor`. Set on the operator's own objects: `harbor-operator`.
pub const NAME_LABEL: &str = "app.kubernetes.io/name";

/// Set by the Redis operator of Spotahome on its pods: `redis-failover`.
pub const PART_OF_LABEL: &str = "app.kubernetes.io/part-of";

/// Set by the operator on its own Secret: a text that tells people what the Secret is for.
pub const DESCRIPTION_ANNOTATION: &str = "kubernetes.io/description";

/// Set by the operator on an Ingress: its class, for controllers that ignore Ingresses with the field for it.
pub const INGRESS_CLASS_ANNOTATION: &str = "kubernetes.io/ingress.class";

/// Set by users on pods; the name of a container follows: its AppArmor profile, which the kubelet still reads.
pub const APP_ARMOR_ANNOTATION_PREFIX: &str = "container.apparmor.security.beta.kubernetes.io/";

/// Set by `kubectl apply`: the object as the user applied it last, Secrets included.
pub const LAST_APPLIED_ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Set by authors on definitions in a group of Kubernetes: who approved the API. The API server demands it.
pub const API_APPROVED_ANNOTATION: &str = "api-approved.kubernetes.io";

/// Set by the Deployment controller on Deployments and their ReplicaSets: how often the pod template has changed.
pub const DEPLOYMENT_REVISION_ANNOTATION: &str = "deployment.kubernetes.io/revision";

/// Set by the Deployment controller on ReplicaSets and pods: a hash of the pod template.
pub const POD_TEMPLATE_HASH_LABEL: &str = "pod-template-hash";

/// Set by the StatefulSet controller on pods: the revision that the pod was created from.
pub const CONTROLLER_REVISION_LABEL: &str = "controller-revision-hash";

/// Set by the StatefulSet controller on pods: the name of the pod.
pub const STATEFUL_SET_POD_NAME_LABEL: &str = "statefulset.kubernetes.io/pod-name";

/// Set by the StatefulSet controller on pods: the ordinal of the pod.
pub const POD_INDEX_LABEL: &str = "apps.kubernetes.io/pod-index";

/// Set by the kubelet on the pod that shows a static pod: a hash of the static pod, which the API server does not change.
pub const MIRROR_POD_ANNOTATION: &str = "kubernetes.io/config.mirror";

/// Set by the API server on Namespaces: the name of the Namespace, for selectors.
pub const NAMESPACE_NAME_LABEL: &str = "kubernetes.io/metadata.name";

/// Set by the EndpointSlice controller on EndpointSlices: the name of their Service.
pub const SERVICE_NAME_LABEL: &str = "kubernetes.io/service-name";

/// Set by the EndpointSlice controller on EndpointSlices: that it manages them.
pub const ENDPOINT_SLICE_MANAGED_BY_LABEL: &str = "endpointslice.kubernetes.io/managed-by";

/// Set by the volume controller on claims: it has bound the claim to a volume.
pub const BIND_COMPLETED_ANNOTATION: &str = "pv.kubernetes.io/bind-completed";

/// Set by the volume controller on claims: it has chosen the volume itself.
pub const BOUND_BY_CONTROLLER_ANNOTATION: &str = "pv.kubernetes.io/bound-by-controller";

/// Set by the API server on claims, and removed by a controller when no pod uses the claim any more.
pub const CLAIM_PROTECTION_FINALIZER: &str = "kubernetes.io/pvc-protection";

/// Set by the operator on an Ingress: ingress-nginx connects to the Service with HTTP or HTTPS.
pub const NGINX_BACKEND_PROTOCOL_ANNOTATION: &str = "nginx.ingress.kubernetes.io/backend-protocol";

/// Set by the operator on an Ingress: how large a request ingress-nginx accepts.
pub const NGINX_PROXY_BODY_SIZE_ANNOTATION: &str = "nginx.ingress.kubernetes.io/proxy-body-size";

/// Set by the operator on an Ingress: NCP reads its paths as regular expressions.
pub const NCP_USE_REGEX_ANNOTATION: &str = "ncp/use-regex";

/// Set by the operator on an Ingress: NCP redirects from HTTP to HTTPS.
pub const NCP_HTTP_REDIRECT_ANNOTATION: &str = "ncp/http-redirect";

/// Set by the operator on an Ingress: Contour redirects from HTTP to HTTPS.
pub const FORCE_SSL_REDIRECT_ANNOTATION: &str = "ingress.kubernetes.io/force-ssl-redirect";

/// Set by the operator on a Service: the port to which Contour connects with TLS.
pub const CONTOUR_UPSTREAM_TLS_ANNOTATION: &str = "projectcontour.io/upstream-protocol.tls";

/// Set by the operator on Services: the path of the metrics, for Prometheus.
pub const PROMETHEUS_PATH_ANNOTATION: &str = "prometheus.io/path";

/// Set by the operator on Services: the port of the metrics, for Prometheus.
pub const PROMETHEUS_PORT_ANNOTATION: &str = "prometheus.io/port";

/// Set by the operator to `true` on Services: Prometheus reads the metrics.
pub const PROMETHEUS_SCRAPE_ANNOTATION: &str = "prometheus.io/scrape";

/// Set by the operator on the Secret of a database user: PostgreSQL, not CloudNativePG, decides how it stores the
/// password.
pub const CNPG_PASSTHROUGH_ANNOTATION: &str = "cnpg.io/passwordPassthrough";

/// Set by CloudNativePG on pods: the name of their cluster.
pub const CNPG_CLUSTER_LABEL: &str = "cnpg.io/cluster";

/// Set by CloudNativePG on pods: the name of their instance.
pub const CNPG_INSTANCE_NAME_LABEL: &str = "cnpg.io/instanceName";

/// Set by CloudNativePG on pods: `primary` or `replica`.
pub const CNPG_INSTANCE_ROLE_LABEL: &str = "cnpg.io/instanceRole";

/// Set by CloudNativePG on pods: `instance`.
pub const CNPG_POD_ROLE_LABEL: &str = "cnpg.io/podRole";

/// Set by the MinIO operator on everything it creates for a Tenant: the name of the Tenant.
pub const MINIO_TENANT_LABEL: &str = "v1.min.io/tenant";

/// Set by the MinIO operator on everything it creates for a pool: the name of the pool. It finds the claims to enlarge
/// by it.
pub const MINIO_POOL_LABEL: &str = "v1.min.io/pool";

/// Set by cert-manager on the Secret of a Certificate: the name of the Certificate.
pub const CERTIFICATE_NAME_ANNOTATION: &str = "cert-manager.io/certificate-name";

/// Set by cert-manager on the Secret of a Certificate: the name of its issuer.
pub const ISSUER_NAME_ANNOTATION: &str = "cert-manager.io/issuer-name";

/// Set by cert-manager on the Secret of a Certificate: the kind of its issuer.
pub const ISSUER_KIND_ANNOTATION: &str = "cert-manager.io/issuer-kind";

/// Set by cert-manager on the Secret of a Certificate: the API group of its issuer.
pub const ISSUER_GROUP_ANNOTATION: &str = "cert-manager.io/issuer-group";

/// Set by cert-manager on the Secret of a Certificate: the common name of the certificate.
pub const COMMON_NAME_ANNOTATION: &str = "cert-manager.io/common-name";

/// Set by cert-manager on the Secret of a Certificate: the host names in the certificate.
pub const ALT_NAMES_ANNOTATION: &str = "cert-manager.io/alt-names";

/// Set by cert-manager on the Secret of a Certificate: the IP addresses in the certificate.
pub const IP_SANS_ANNOTATION: &str = "cert-manager.io/ip-sans";

/// Set by cert-manager on the Secret of a Certificate: the URIs in the certificate.
pub const URI_SANS_ANNOTATION: &str = "cert-manager.io/uri-sans";

/// Set by the operator on the configuration of its webhook: the Certificate whose authority cert-manager writes into it.
pub const INJECT_CA_ANNOTATION: &str = "cert-manager.io/inject-ca-from";

/// Set by cert-manager on the Secret of a Certificate: its controllers keep whole Secrets with this label in memory.
pub const CERT_MANAGER_LABEL: &str = "controller.cert-manager.io/fao";

/// The operator records in it the names of the objects outside of the cluster that it created for an object.
pub const EXTERNAL_ANNOTATION: &str = "goharbor.io/external";

/// The operator sets it on an object for which it created objects outside of the cluster, and removes it after it has
/// deleted them.
pub const EXTERNAL_FINALIZER: &str = "goharbor.io/external";

/// Finalizers that the old operator set on HarborProjects and PullSecretBindings. An operator that follows it removes them.
pub const OLD_FINALIZERS: [&str; 2] =
    ["harborproject.goharbor.io/finalizer", "psb.finalizers.resource.goharbor.io"];

/// With the value `true`, a user has the operator forget the objects outside of the cluster that it created for an object.
pub const ABANDON_ANNOTATION: &str = "goharbor.io/abandon";

/// With a new value, such as the current time, a user has the operator renew the credentials of a HarborRobot.
pub const ROTATE_AT_ANNOTATION: &str = "goharbor.io/rotate-at";

/// Set by users on a HarborCluster or a Harbor: the credentials that the operator is to generate anew, separated by commas, each
/// with `@` and a word, such as `csrf@2026-11-19`. The operator does so once for each new word.
pub const ROTATE_ANNOTATION: &str = "goharbor.io/rotate";

/// Set by the operator on a Core while it gets a key that all of its pods must share: they are replaced at the same time.
pub const REPLACE_TOGETHER_ANNOTATION: &str = "goharbor.io/replace-together";

/// Set by the operator on a Secret with a credential of a Harbor, or with a password of a HarborRobot whose rotation has an
/// overlap: which rotation the value is for, and which Secret has the value before.
pub const ROTATION_ANNOTATION: &str = "goharbor.io/rotation";

/// With the value `true`, a user has the operator give the robot account of a PullSecretBinding, or of a Namespace, a new
/// password. The one before ends at once, for all clients.
pub const ROTATE_ROBOT_ANNOTATION: &str = "goharbor.io/rotate-robot";

/// Set by the old operator on PullSecretBindings: the name of the Secret that it created.
pub const ROBOT_SECRET_ANNOTATION: &str = "goharbor.io/robot-secret";

/// Set on no object: the operator selects by it to find out how the API server lists objects.
pub const PROBE_LABEL: &str = "goharbor.io/probe";
