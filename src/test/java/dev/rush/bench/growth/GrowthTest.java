package dev.rush.bench.growth;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.dev.EmbeddedLedger;
import dev.rush.ledger.sql.Sql;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * No statement reads more rows where more orders were ever stored. Rows do not depend on how busy
 * the machine is, and small histories show turns of the planner that large ones miss.
 */
class GrowthTest {
    private static final History FEW = new History(8_000, 4_000);
    private static final History MANY = new History(300_000, 4_000);
    private static final double RATIO_MAX = 1.5;
    private static final int ROWS_MORE = 10;

    private static EmbeddedLedger postgres;
    private static String few;
    private static String many;

    @BeforeAll
    static void load() throws SQLException {
        postgres = EmbeddedLedger.start();
        few = postgres.freshDatabase();
        Load.into(few, FEW);
        analyze(few);
        many = postgres.freshDatabase();
        Load.into(many, MANY);
    }

    @AfterAll
    static void stop() {
        postgres.close();
    }

    /** The first minutes of a rush run without statistics, the rest with them. */
    @Test
    void noStatementReadsMoreWhereMoreWasStored() throws SQLException {
        Map<String, Plan> expected = plans(few, FEW);
        Map<String, Plan> unknown = plans(many, MANY);
        analyze(many);
        assertThat(grown(expected, plans(many, MANY))).as("with statistics").isEmpty();
        assertThat(grown(expected, unknown)).as("without statistics").isEmpty();
    }

    private static void analyze(String url) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute("VACUUM ANALYZE");
        }
    }

    private static Map<String, Plan> plans(String url, History history) throws SQLException {
        Map<String, Sample> samples = Samples.of(history);
        Map<String, Plan> plans = new TreeMap<>();
        try (Connection connection = DriverManager.getConnection(url)) {
            connection.setAutoCommit(false);
            for (Sql sql : Samples.statements(samples).values()) {
                plans.put(sql.name(), Plan.of(connection, sql, samples.get(sql.name())));
            }
        }
        return plans;
    }

    private static List<String> grown(Map<String, Plan> few, Map<String, Plan> many) {
        List<String> grown = new ArrayList<>();
        many.forEach((name, plan) -> {
            long rows = few.get(name).rows();
            if (plan.rows() > RATIO_MAX * rows + ROWS_MORE || !plan.wrong().isEmpty()) {
                grown.add(name + " reads " + rows + " rows of few and " + plan.rows()
                        + " of many " + plan.wrong());
            }
        });
        return grown;
    }
}
