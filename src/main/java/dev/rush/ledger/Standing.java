package dev.rush.ledger;

/**
 * What a transaction knows of the ledger from its beginning.
 *
 * @param epoch   of what it adds to the journal
 * @param checked whether this PostgreSQL process was held against Redis: another one may lack
 *                commits that clients were told of
 * @param server  when this PostgreSQL process began, in microseconds
 */
public record Standing(int epoch, boolean checked, long server) {
}
