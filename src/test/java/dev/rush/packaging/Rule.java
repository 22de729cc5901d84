package dev.rush.packaging;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.BiConsumer;

/** The rules of the packaging. A rule holds if it has no findings. */
enum Rule {
    SCHEMA(SchemaRules::schema),
    CUSTOM_FIELDS(SchemaRules::customFields),
    API_VERSIONS(SchemaRules::versions),
    POD_SECURITY(PodRules::podSecurity),
    USER_IDS(PodRules::userIds),
    WRITABLE_PATHS(PodRules::writablePaths),
    TOKENS(PodRules::tokens),
    RESOURCES(ResourceRules::resources),
    REDIS_MEMORY(ResourceRules::redisMemory),
    JAVA_MEMORY(ResourceRules::javaMemory),
    QUOTA(ResourceRules::quota),
    IMAGES(ResourceRules::images),
    SELECTORS(ReferenceRules::selectors),
    REFERENCES(ReferenceRules::references),
    PROBES(LifecycleRules::probes),
    START_BUDGET(LifecycleRules::startBudget),
    DECLARED_PORTS(LifecycleRules::declaredPorts),
    GRACE(LifecycleRules::grace),
    HANGS(LifecycleRules::hangs),
    ROLLOUT(LifecycleRules::rollout),
    AUTOSCALING(ScalingRules::autoscaling),
    REDIS_CONNECTIONS(ScalingRules::redisConnections),
    DISRUPTION(ScalingRules::disruption),
    NETWORK(NetworkRules::network),
    PUBLIC_PATHS(PublicRules::publicPaths),
    TRUSTED_CALLERS(PublicRules::trustedCallers),
    TIMEOUTS(ConfigRules::timeouts),
    SECRETS(ConfigRules::secrets),
    SETTINGS(ConfigRules::settings),
    ENCRYPTION(EncryptionRules::encryption),
    REDIS_SEEDS(RedisRules::seeds),
    REDIS_CONFIG(RedisRules::config),
    REDIS_SCRIPTS(RedisRules::scripts),
    METRIC_NAMES(MetricRules::names),
    ALERTS(MetricRules::alertsComplete),
    REACHABLE(TreeRules::reachable),
    README(TreeRules::readme),
    DOCKERFILES(TreeRules::dockerfiles),
    DOCUMENTED_METRICS(MetricRules::documented);

    /** Rules about files alone, checked once. The others are checked for each set of manifests. */
    static final Set<Rule> OF_FILES = EnumSet.range(REACHABLE, DOCUMENTED_METRICS);
    static final Set<Rule> OF_MANIFESTS = EnumSet.range(SCHEMA, ALERTS);

    private final BiConsumer<Packaging, Findings> check;

    Rule(BiConsumer<Packaging, Findings> check) {
        this.check = check;
    }

    List<String> findings(Packaging packaging) {
        Findings findings = new Findings();
        check.accept(packaging, findings);
        return findings.all();
    }

    /** Returns the name as mistakes.txt spells it. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
