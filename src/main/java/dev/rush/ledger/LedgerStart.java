package dev.rush.ledger;

import dev.rush.ledger.sql.MigrationSource;
import io.agroal.api.AgroalDataSource;
import io.quarkus.arc.InjectableInstance;
import io.quarkus.datasource.common.runtime.DataSourceUtil;
import io.quarkus.flyway.runtime.FlywayContainerProducer;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.inject.Any;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Brings the schema up to date in the background, so that a pod starts and sells while PostgreSQL
 * is down; until that is done the ledger counts as unavailable.
 */
@Singleton
class LedgerStart {

    private static final Logger LOG = Logger.getLogger(LedgerStart.class);
    private static final long RETRY_MS = 500;
    private static final long RETRY_MAX_MS = 5_000;
    private static final long FIRST_TRY_MS = 5_000;

    private final Supplier<AgroalDataSource> sources;
    private final FlywayContainerProducer flyways;
    private final LedgerOutage outage = new LedgerOutage();
    /** Closed until the first attempt to reach the ledger ends, so that early calls wait for it. */
    private final CountDownLatch firstTry = new CountDownLatch(1);
    private volatile @Nullable DataSource source;
    private volatile boolean stopping;

    @Inject
    LedgerStart(@Any InjectableInstance<AgroalDataSource> sources,
            FlywayContainerProducer flyways) {
        this(sources::get, flyways);
    }

    LedgerStart(Supplier<AgroalDataSource> sources, FlywayContainerProducer flyways) {
        this.sources = sources;
        this.flyways = flyways;
    }

    void start() {
        Thread migration = new Thread(this::migrate, "ledger-migration");
        migration.setDaemon(true);
        migration.start();
    }

    @PreDestroy
    void stop() {
        stopping = true;
    }

    private void migrate() {
        long pauseMs = RETRY_MS;
        while (!stopping) {
            try {
                open(sources.get());
                return;
            } catch (RuntimeException | SQLException | Error e) {
                if (stopping) {
                    return;
                }
                firstTry.countDown();
                outage.failed(e);
            }
            try {
                Thread.sleep(pauseMs);
            } catch (InterruptedException e) {
                return;
            }
            pauseMs = Math.min(RETRY_MAX_MS, 2 * pauseMs);
        }
    }

    private void open(AgroalDataSource found) throws SQLException {
        try (MigrationSource migrations = new MigrationSource(found)) {
            // Created here and not by Quarkus, whose start would take a tenth longer.
            flyways.createFlyway(migrations, DataSourceUtil.DEFAULT_DATASOURCE_NAME, true, true)
                    .getFlyway().migrate();
        }
        try (Connection connection = found.getConnection()) {
            List<String> weak = LedgerSettings.weak(connection);
            if (!weak.isEmpty()) {
                LOG.warnf("PostgreSQL may lose orders: %s", String.join("; ", weak));
            }
        }
        source = found;
        firstTry.countDown();
        outage.succeeded();
    }

    /** Logs outages of the ledger. */
    LedgerOutage outage() {
        return outage;
    }

    /** Whether the schema is up to date. PostgreSQL may be down again by now. */
    boolean isReady() {
        return source != null;
    }

    /**
     * The source of connections. Early calls wait for the first attempt.
     *
     * @throws LedgerFailure if the schema is not up to date yet
     */
    DataSource opened() {
        if (source == null) {
            try {
                firstTry.await(FIRST_TRY_MS, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        DataSource open = source;
        if (open == null) {
            throw new LedgerFailure("the ledger is not available yet");
        }
        return open;
    }
}
