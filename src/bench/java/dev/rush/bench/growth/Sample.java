package dev.rush.bench.growth;

/**
 * A statement, with parameters for which it finds the same number of rows in every history.
 *
 * @param parameters the parameters, or the rows of a COPY
 */
record Sample(String name, Frequency frequency, Object... parameters) {
}
