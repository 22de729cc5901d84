/**
 * Checks images and manifests without a cluster. {@link Rule} lists the rules, {@link
 * ManifestsTest} applies them to each set of manifests, and {@link MutationTest} shows that each
 * can fail. {@link RedisScriptsTest} runs the pods' shell scripts on real Redis processes.
 */
package dev.rush.packaging;
