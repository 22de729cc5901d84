/**
 * Batches requests for the same keys into one script call. A request is answered once, by its
 * deadline, with the script's word or with its outcome class.
 */
@NullMarked
package dev.rush.redis.batch;

import org.jspecify.annotations.NullMarked;
