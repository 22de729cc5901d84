/**
 * Measures the cost of a start until the first purchase, and the memory and CPU under load: of the
 * native executable, Java, Java with a class archive, and the Spring peer.
 */
package dev.rush.bench.footprint;
