package dev.rush.order;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.dev.EmbeddedLedger;
import dev.rush.dev.EmbeddedRedis;
import dev.rush.dev.Ports;
import dev.rush.testing.Api;
import dev.rush.testing.Await;
import dev.rush.testing.Certificates;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.TestSale;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * PostgreSQL over TLS with the driver's {@code sslmode=verify-full}: the certificate must come from
 * the given authority and name the host. The log says at once why a ledger cannot be used.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class LedgerTlsIT {
    private static final Duration SOON = Duration.ofSeconds(20);

    @TempDir
    static Path folder;
    private static EmbeddedLedger ledger;
    private static EmbeddedRedis redis;
    private static Environment environment;
    private static Certificates localhost;
    private static Certificates another;
    private static String database;
    /** Pods without a ledger; they start together, because that takes seconds. */
    private static Pod withoutServer;
    private static Pod withAnotherAuthority;
    private static Pod withAnotherHost;
    private static Instant launched;
    private static int missing;

    @BeforeAll
    static void start() {
        localhost = Certificates.of(folder, "localhost", "dns:localhost");
        another = Certificates.of(folder, "another", "dns:localhost");
        ledger = EmbeddedLedger.start();
        redis = EmbeddedRedis.start();
        environment = Environments.on("ledger-tls", redis);
        database = ledger.freshDatabase();
        sql("ALTER SYSTEM SET ssl_cert_file = '" + localhost.certificate() + "'");
        sql("ALTER SYSTEM SET ssl_key_file = '" + localhost.key() + "'");
        sql("ALTER SYSTEM SET ssl = on");
        sql("SELECT pg_reload_conf()");
        Await.until("PostgreSQL speaks TLS", SOON, () -> "on".equals(sql("SHOW ssl")));
        missing = Ports.free();
        launched = Instant.now();
        withoutServer = launch("ledger-missing",
                "jdbc:postgresql://127.0.0.1:" + missing + "/rush?user=postgres");
        withAnotherAuthority = launch("ledger-tls-authority", verified("localhost", another));
        withAnotherHost = launch("ledger-tls-host", verified("127.0.0.1", localhost));
    }

    @AfterAll
    static void stop() {
        withoutServer.close();
        withAnotherAuthority.close();
        withAnotherHost.close();
        ledger.close();
        redis.close();
    }

    /** The first column of the first row, as text. */
    private static String sql(String statement) {
        try (Connection connection = DriverManager.getConnection(database);
                Statement call = connection.createStatement()) {
            if (!call.execute(statement)) {
                return null;
            }
            call.getResultSet().next();
            return call.getResultSet().getString(1);
        } catch (SQLException e) {
            throw new IllegalStateException(statement, e);
        }
    }

    private static String verified(String host, Certificates authority) {
        return database.replace("127.0.0.1", host) + "&sslmode=verify-full&sslrootcert="
                + authority.certificate();
    }

    private static Pod launch(String name, String url) {
        Map<String, String> config = new HashMap<>();
        config.put("quarkus.datasource.jdbc.url", url);
        config.put("rush.orders.sink", "postgres");
        return Environments.launchPod(name, environment, config);
    }

    private static void assertLogged(Pod pod, String... causes) {
        pod.awaitReady();
        Await.until("the log says why", SOON, () -> warnings(pod, causes) > 0, pod::log);
        assertThat(pod.api().asOperator().get("/v1/dead-letters").word())
                .isEqualTo("unavailable");
    }

    private static long warnings(Pod pod, String... causes) {
        return pod.log().lines().filter(line -> line.contains("WARN")
                && line.contains("The ledger is not available yet")
                && Stream.of(causes).allMatch(line::contains)).count();
    }

    @Test
    @DisplayName("The right authority and host: orders are stored, and every connection is TLS")
    void verifiedLedgerStoresOrders() {
        try (Pod pod = launch("ledger-tls", verified("localhost", localhost))) {
            pod.awaitReady();
            Await.until("the ledger is available", SOON, () -> pod.api().asOperator()
                    .get("/v1/dead-letters").status() == 200, pod::log);
            TestSale sale = TestSale.unknown(environment, pod.api());
            sale.prepare("apple:10:1", "");
            String order = sale.bought("711", "apple");
            Await.until("the order is stored", SOON, () -> "confirmed".equals(is(200, pod.api()
                    .asOperator().get(sale.path() + "/orders/" + order)).body().path("status")
                    .asText()), pod::log);
            assertThat(sql("SELECT count(*) FILTER (WHERE s.ssl) > 0 AND bool_and(s.ssl)"
                    + " FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid)"
                    + " WHERE a.application_name = 'rush'")).isEqualTo("t");
        }
    }

    @Test
    @DisplayName("Another authority is refused, and the log says so")
    void anotherAuthorityIsRefused() {
        assertLogged(withAnotherAuthority, "certification path");
    }

    @Test
    @DisplayName("A host that the certificate does not name is refused, and the log says so")
    void anotherHostIsRefused() {
        assertLogged(withAnotherHost, "127.0.0.1", "verified");
    }

    @Test
    @Order(Integer.MAX_VALUE)
    @DisplayName("A missing PostgreSQL is logged at once, and again while it lasts")
    void missingLedgerIsLoggedRepeatedly() {
        Pod pod = withoutServer;
        pod.awaitReady();
        Await.until("the log says it twice", Duration.ofSeconds(30),
                () -> warnings(pod, "127.0.0.1:" + missing + " refused") >= 2, pod::log);
        assertThat(warnings(pod)).as("not at every attempt")
                .isLessThan(10 + Duration.between(launched, Instant.now()).toSeconds() / 10);
    }

    @Test
    @DisplayName("I8: a pod that has never read PostgreSQL calls no sale or rain unknown")
    void saleThatOnlyTheLedgerMayHaveIsNotCalledUnknown() {
        withoutServer.awaitReady();
        Api buyer = withoutServer.api().as("711");
        refused(buyer.get("/v1/sales/any"), "unavailable");
        refused(buyer.post("/v1/sales/any/purchases", "{\"items\":[{\"sku\":\"apple\"}]}"),
                "unavailable");
        refused(buyer.get("/v1/rains/any"), "unavailable");
        refused(buyer.post("/v1/rains/any/grabs"), "unavailable");
        refused(withoutServer.api().asOperator().post("/v1/sales/any/pause"), "unavailable");
    }

    @Test
    @DisplayName("A refused login is logged with the reason")
    void refusedLoginIsLogged() {
        sql("CREATE ROLE stranger LOGIN");
        // The test server trusts every local login, but refuses roles without LOGIN.
        sql("ALTER ROLE stranger NOLOGIN");
        try (Pod pod = launch("ledger-stranger",
                database.replace("user=postgres", "user=stranger"))) {
            assertLogged(pod, "28000", "stranger");
        }
    }
}
