package dev.rush.reconciliation;

import static dev.rush.testing.Answers.is;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.order.LedgerPods;
import dev.rush.testing.Await;
import dev.rush.testing.Pod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Lists of sales and rains that have left Redis. */
class RetiredListIT {
    /** What a pod may send to PostgreSQL on its own account while it answers a page. */
    private static final int BACKGROUND = 60;
    private static final int PAGE_MAX = 100;

    private static LedgerPods pods;

    @BeforeAll
    static void start() {
        pods = new LedgerPods("retired-list", Map.of("rush.retention", "PT1S"));
    }

    @AfterAll
    static void stop() {
        pods.close();
    }

    private static JsonNode page(Pod pod, String kinds, int limit) {
        return is(200, pod.api().asOperator().get("/v1/" + kinds + "?limit=" + limit)).body();
    }

    private static void retire(String sale, String rain) {
        is(200, pods.api().asOperator().post("/v1/sales/" + sale + "/close"));
        is(200, pods.api().asOperator().post("/v1/rains/" + rain + "/close"));
        Await.until(sale + " and " + rain + " are retired", LedgerPods.SOON, () ->
                pods.count("SELECT count(*) FROM sales WHERE state = 'retired' AND sale = ?",
                        sale) == 1
                && pods.count("SELECT count(*) FROM rains WHERE state = 'retired' AND rain = ?",
                        rain) == 1);
    }

    /** A hundred retired copies of each. */
    private static void copy(String sale, String rain) {
        for (String[] row : new String[][] {{"sales", "sale", sale}, {"items", "sale", sale},
            {"rains", "rain", rain}}) {
            pods.text(("WITH copies AS (INSERT INTO %1$s SELECT (jsonb_populate_record(r, jsonb"
                    + "_build_object('%2$s', r.%2$s || '-' || i))).* FROM %1$s r,"
                    + " generate_series(1, 100) AS i WHERE r.%2$s = ? RETURNING 1)"
                    + " SELECT count(*) FROM copies").formatted(row[0], row[1]), row[2]);
        }
    }

    /** The fewest of three, because the pod polls the ledger meanwhile. */
    private static long fewestLogged(Path log, Pod pod, String kinds, int limit)
            throws IOException {
        return Math.min(logged(log, pod, kinds, limit), Math.min(
                logged(log, pod, kinds, limit), logged(log, pod, kinds, limit)));
    }

    /** How many lines PostgreSQL logs while a pod, whose statements it logs, answers a page. */
    private static long logged(Path log, Pod pod, String kinds, int limit) throws IOException {
        int before = Files.readAllLines(log).size();
        JsonNode page = page(pod, kinds, limit);
        assertThat(page.path(kinds)).hasSize(limit).allSatisfy(entry ->
                assertThat(entry.path("state").asText()).isEqualTo("closed"));
        assertThat(page.has("partial")).isFalse();
        return Files.readAllLines(log).stream().skip(before)
                .filter(line -> line.contains("LOG:")).count();
    }

    /** A prepared sale and rain, of which the ledger's clock was an hour slow. */
    private static void prepare(String sale, String rain) {
        is(201, pods.api().asOperator().put("/v1/sales/" + sale,
                "{\"items\":[{\"sku\":\"apple\",\"total\":100}]}"));
        is(201, pods.api().asOperator().put("/v1/rains/" + rain,
                "{\"envelopes\":{\"amounts\":[9,4,5]}}"));
        for (String[] row : new String[][] {{"sale", sale}, {"rain", rain}}) {
            pods.update("UPDATE %1$ss SET prepared_at = prepared_at - interval '1 hour' WHERE %1$s"
                    .formatted(row[0]) + " = ?", row[1]);
        }
    }

    /** The ids and instants of a list, in its order. */
    private static List<String> order(String kind) {
        List<String> order = new ArrayList<>();
        page(pods.first(), kind + "s", PAGE_MAX).path(kind + "s").forEach(entry -> order.add(
                entry.path(kind).asText() + " " + entry.path("preparedAt").asText()));
        return order;
    }

    @Test
    @DisplayName("A sale or rain keeps its place in the list when it leaves Redis, although the "
            + "clocks of Redis and PostgreSQL differ")
    void retiredOneKeepsItsPlace() {
        for (String id : new String[] {"placed-1", "placed-2", "placed-3"}) {
            prepare("sale-" + id, "rain-" + id);
        }
        List<String> sales = order("sale");
        List<String> rains = order("rain");
        retire("sale-placed-2", "rain-placed-2");
        assertThat(order("sale")).isEqualTo(sales);
        assertThat(order("rain")).isEqualTo(rains);
    }

    @Test
    @DisplayName("A page of a hundred retired sales or rains costs PostgreSQL as many statements "
            + "as a page of one")
    void pageCostsTheSameWhateverItsLength() throws IOException {
        String sale = "sale-copied";
        String rain = "rain-copied";
        prepare(sale, rain);
        retire(sale, rain);
        copy(sale, rain);
        Path log = Path.of(LedgerPods.select(pods.ledgerUrl(), "SHOW data_directory"))
                .resolveSibling("postgres.log");
        try (Pod pod = pods.startPod("retired-list-logged", Map.of("rush.role", "api",
                "quarkus.datasource.jdbc.url",
                pods.ledgerUrl() + "&options=-c%20log_statement%3Dall"))) {
            pod.awaitReady();
            for (String kinds : new String[] {"sales", "rains"}) {
                page(pod, kinds, PAGE_MAX);
                long ofOne = fewestLogged(log, pod, kinds, 1);
                assertThat(ofOne).isPositive();
                assertThat(fewestLogged(log, pod, kinds, PAGE_MAX))
                        .isLessThan(ofOne + BACKGROUND);
            }
        }
    }
}
