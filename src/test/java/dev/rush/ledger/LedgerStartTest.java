package dev.rush.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.dev.EmbeddedLedger;
import dev.rush.ledger.sql.MigrationSource;
import dev.rush.testing.Await;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import java.sql.Connection;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LedgerStartTest {
    private static final int CALL_MS = 2_000;
    private static final Duration MIGRATED = Duration.ofSeconds(30);

    @Test
    void migrationMayTakeLongerThanACall() throws Exception {
        try (EmbeddedLedger postgres = EmbeddedLedger.start()) {
            String url = postgres.freshDatabase();
            try (AgroalDataSource source = source(url + "&socketTimeout=" + CALL_MS / 1_000)) {
                LedgerStart start = new LedgerStart(() -> source,
                        RewrittenSource.migrations("db/slow"));
                start.start();
                Await.until("the schema is there", MIGRATED, start::isReady);
                try (Connection connection = start.opened().getConnection()) {
                    assertThat(connection.getNetworkTimeout()).isEqualTo(CALL_MS);
                }
                start.stop();
            }
        }
    }

    @Test
    void firstCallAfterAMigrationHasItsLimit() throws Exception {
        try (EmbeddedLedger postgres = EmbeddedLedger.start();
                AgroalDataSource source = source(
                        postgres.freshDatabase() + "&socketTimeout=" + CALL_MS / 1_000)) {
            for (int i = 0; i < 200; i++) {
                try (MigrationSource migrations = new MigrationSource(source)) {
                    migrations.getConnection().close();
                }
                try (Connection connection = source.getConnection()) {
                    assertThat(connection.getNetworkTimeout()).isEqualTo(CALL_MS);
                }
            }
        }
    }

    private static AgroalDataSource source(String url) throws Exception {
        return AgroalDataSource.from(new AgroalDataSourceConfigurationSupplier()
                .connectionPoolConfiguration(pool -> pool.maxSize(4)
                        .connectionFactoryConfiguration(factory -> factory.jdbcUrl(url))));
    }

    @Test
    void settingsThatMayLoseOrdersAreNamed() {
        assertThat(LedgerSettings.weak("on", "on", "on", false, false)).isEmpty();
        assertThat(LedgerSettings.weak("on", "on", "remote_apply", true, true)).isEmpty();
        assertThat(LedgerSettings.weak("off", "on", "on", true, true)).hasSize(1)
                .first().asString().startsWith("fsync=off");
        assertThat(LedgerSettings.weak("on", "off", "on", true, true)).hasSize(1)
                .first().asString().startsWith("full_page_writes=off");
        assertThat(LedgerSettings.weak("on", "on", "off", true, true)).hasSize(1)
                .first().asString().startsWith("synchronous_commit=off");
        assertThat(LedgerSettings.weak("on", "on", "local", true, true)).hasSize(1)
                .first().asString().startsWith("no commit waits");
        assertThat(LedgerSettings.weak("on", "on", "on", false, true)).hasSize(1);
        assertThat(LedgerSettings.weak("off", "off", "off", false, true)).hasSize(3);
    }
}
