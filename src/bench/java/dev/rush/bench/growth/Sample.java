package dev.rush.bench.growth;

/**
 * A statement and parameters with which it finds as much in every history.
 *
 * @param parameters of a COPY: its rows
 */
record Sample(String name, Frequency frequency, Object... parameters) {
}
