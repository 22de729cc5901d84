/**
 * What the images and manifests promise, checked without a cluster. {@link Rules} names every rule;
 * {@link ManifestsTest} holds them against each overlay, {@link MutationTest} shows that each can
 * fail, {@link RedisScriptsTest} runs the pods' shell scripts on real Redis processes.
 */
package dev.rush.packaging;
