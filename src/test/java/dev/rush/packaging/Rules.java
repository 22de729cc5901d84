package dev.rush.packaging;

import java.util.List;

/** Every rule. Mutations and reports refer to it by its name. */
final class Rules {

    /** Rules about rendered manifests, checked for each set. */
    static final List<Rule> OF_MANIFESTS = List.of(
            new Rule("schema", SchemaRules::schema),
            new Rule("custom-fields", SchemaRules::customFields),
            new Rule("api-versions", SchemaRules::versions),
            new Rule("pod-security", PodRules::podSecurity),
            new Rule("user-ids", PodRules::userIds),
            new Rule("writable-paths", PodRules::writablePaths),
            new Rule("tokens", PodRules::tokens),
            new Rule("resources", ResourceRules::resources),
            new Rule("redis-memory", ResourceRules::redisMemory),
            new Rule("java-memory", ResourceRules::javaMemory),
            new Rule("quota", ResourceRules::quota),
            new Rule("images", ResourceRules::images),
            new Rule("selectors", ReferenceRules::selectors),
            new Rule("references", ReferenceRules::references),
            new Rule("probes", LifecycleRules::probes),
            new Rule("start-budget", LifecycleRules::startBudget),
            new Rule("declared-ports", LifecycleRules::declaredPorts),
            new Rule("grace", LifecycleRules::grace),
            new Rule("hangs", LifecycleRules::hangs),
            new Rule("rollout", LifecycleRules::rollout),
            new Rule("autoscaling", ScalingRules::autoscaling),
            new Rule("redis-connections", ScalingRules::redisConnections),
            new Rule("disruption", ScalingRules::disruption),
            new Rule("network", NetworkRules::network),
            new Rule("public-paths", PublicRules::publicPaths),
            new Rule("trusted-callers", PublicRules::trustedCallers),
            new Rule("timeouts", ConfigRules::timeouts),
            new Rule("secrets", ConfigRules::secrets),
            new Rule("settings", ConfigRules::settings),
            new Rule("encryption", EncryptionRules::encryption),
            new Rule("redis-seeds", RedisRules::seeds),
            new Rule("redis-config", RedisRules::config),
            new Rule("redis-scripts", RedisRules::scripts),
            new Rule("metric-names", MetricRules::names),
            new Rule("alerts", MetricRules::alertsComplete));

    /** Rules about files alone, checked once. */
    static final List<Rule> OF_FILES = List.of(
            new Rule("hash-tags", KeyRules::hashTags),
            new Rule("reachable", TreeRules::reachable),
            new Rule("readme", TreeRules::readme),
            new Rule("dockerfiles", TreeRules::dockerfiles),
            new Rule("documented-metrics", MetricRules::documented));

    private Rules() {
    }
}
