/**
 * A nemesis in the manner of Jepsen: real servers and pods ({@code Topology}), clients that record
 * every call and its answer ({@code client}), faults injected meanwhile ({@code fault}), and a
 * checker that compares this history with the final contents of both stores ({@code checker}).
 * {@code ./mvnw -Pnemesis} runs it; docs/guarantees.md lists what it checks.
 */
package dev.rush.nemesis;
