package dev.rush.dev;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

class EmbeddedLedgerTest {
    @Test
    void durableServerUsesFsync() throws Exception {
        try (EmbeddedLedger ledger = EmbeddedLedger.startDurable();
                Connection connection = DriverManager.getConnection(ledger.freshDatabase());
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SHOW fsync")) {
            assertThat(rows.next()).isTrue();
            assertThat(rows.getString(1)).isEqualTo("on");
        }
    }

    @Test
    void committedRowsSurviveAnImmediateStop() throws Exception {
        try (EmbeddedLedger ledger = EmbeddedLedger.start()) {
            String url = ledger.freshDatabase();
            try (Connection connection = DriverManager.getConnection(url);
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE sold (units int)");
                statement.execute("INSERT INTO sold VALUES (7)");
            }
            ledger.stopImmediately();
            assertThatThrownBy(() -> DriverManager.getConnection(url).close())
                    .isInstanceOf(SQLException.class);
            ledger.restart();
            try (Connection connection = DriverManager.getConnection(url);
                    Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("SELECT units FROM sold")) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getInt(1)).isEqualTo(7);
            }
        }
    }
}
