package dev.rush.ledger;

import java.util.UUID;

/**
 * Units that an order took from Redis and that are owed to it, to the partition that gave them.
 *
 * @param step    the number of the step that ended the order
 * @param expired whether it was not paid in time, else it was returned
 */
public record OwedCredit(UUID order, int month, int step, boolean expired, String sale,
        String user, String lines, int partition) {
}
