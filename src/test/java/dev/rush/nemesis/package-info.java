/**
 * A nemesis in the manner of Jepsen: real servers and pods ({@code Topology}), clients that record
 * what they sent and heard ({@code client}), faults that break the servers meanwhile ({@code
 * fault}), and a checker that compares this history with what both stores hold in the end ({@code
 * checker}). {@code ./mvnw -Pnemesis} runs it; docs/guarantees.md says what it checks.
 */
package dev.rush.nemesis;
