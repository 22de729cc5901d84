package dev.rush.ledger;

import java.util.UUID;

/** The last order of a page of a sale, whose orders are read by user and id. */
public record Cursor(String user, UUID id) {

    /** Before every order. */
    public static final Cursor START = new Cursor("", new UUID(0, 0));
}
