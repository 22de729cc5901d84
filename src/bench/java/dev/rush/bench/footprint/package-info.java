/**
 * What a start costs until the first purchase, and what memory and processor a purchase takes:
 * native executable, Java, Java with an archive of its classes, and the Spring peer.
 */
package dev.rush.bench.footprint;
