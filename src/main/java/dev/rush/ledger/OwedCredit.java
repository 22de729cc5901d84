package dev.rush.ledger;

import java.util.UUID;

/**
 * Units of an ended order that are owed to the partition in Redis that they came from.
 *
 * @param step    the number of the step that ended the order
 * @param expired whether the order expired; otherwise it was returned
 * @param actor   who ended the order
 * @param epoch   the {@linkplain LedgerState#checkedEpoch() checked epoch} of the transaction that
 *                created or read it
 */
public record OwedCredit(UUID order, int month, int step, boolean expired, String actor,
        String sale, String user, String lines, int partition, int epoch) {
}
