package dev.rush.ledger;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Work in one transaction that may have no result. */
@FunctionalInterface
public interface WorkOrNull<T> {

    /** As {@link Ledger.Work#on}; null for no result. */
    @Nullable T on(Connection connection, LedgerState ledgerState) throws SQLException;

    /** The same with a result that is empty instead of null. */
    default Optional<T> orEmpty(Connection connection, LedgerState ledgerState)
            throws SQLException {
        return Optional.ofNullable(on(connection, ledgerState));
    }
}
