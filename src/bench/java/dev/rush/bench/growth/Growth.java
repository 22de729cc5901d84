package dev.rush.bench.growth;

import dev.rush.bench.MachineLoad;
import dev.rush.dev.EmbeddedLedger;
import dev.rush.ledger.sql.Sql;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Runs every sample in a small and a large history, interleaved and warm, and prints the cost in
 * each. Changes are rolled back.
 *
 * <p>A statement fails if the large history has a wrong node in its plan, reads more than 1.5 times
 * the buffers plus 10 pages, or takes more than twice the time and over 0.1 ms more. Without these
 * 0.1 ms, statements of a few rows would fail by chance. Times are medians of interleaved rounds.
 */
public final class Growth {
    private static final int WARM_UP = 2;
    private static final double BUFFERS_RATIO_MAX = 1.5;
    private static final int BUFFERS_MORE = 10;
    private static final double MS_RATIO_MAX = 2;
    private static final double MS_MORE = 0.1;

    private final int open = Integer.getInteger("growth.open", 50_000);
    private final History few = new History(Integer.getInteger("growth.few", 100_000), open);
    private final History many = new History(Integer.getInteger("growth.many", 10_000_000), open);
    private final int rounds = Integer.getInteger("growth.rounds", 7);
    private final Path plans = Path.of("target/growth");

    private Growth() {
    }

    /** Loads both, measures and prints; exits with 1 if a statement costs more in the large one. */
    public static void main(String[] args) throws Exception {
        System.out.println(MachineLoad.before());
        boolean isMet = new Growth().run();
        System.out.println(MachineLoad.after());
        System.exit(isMet ? 0 : 1);
    }

    private boolean run() throws SQLException, IOException {
        Files.createDirectories(plans);
        try (EmbeddedLedger server = EmbeddedLedger.start();
                Connection a = loaded(server, few);
                Connection b = loaded(server, many)) {
            Map<String, Sample> ofFew = Samples.of(few);
            Map<String, Sample> ofMany = Samples.of(many);
            System.out.printf("%-28s %-12s %9s %9s %6s %9s %9s %6s  ok%n", "statement", "each",
                    "buffers", "", "ratio", "ms", "", "ratio");
            System.out.printf("%-28s %-12s %9d %9d %6s %9d %9d%n", "", "", few.orders(),
                    many.orders(), "", few.orders(), many.orders());
            boolean isMet = true;
            for (Sql sql : Samples.statements(ofFew).values()) {
                isMet &= measured(sql, a, ofFew.get(sql.name()), b, ofMany.get(sql.name()));
            }
            return isMet;
        }
    }

    private static Connection loaded(EmbeddedLedger server, History history)
            throws SQLException {
        String url = server.freshDatabase();
        long from = System.nanoTime();
        Load.into(url, history);
        Connection connection = DriverManager.getConnection(url);
        try (Statement statement = connection.createStatement()) {
            statement.execute("VACUUM ANALYZE");
            statement.execute("CHECKPOINT");
        }
        connection.setAutoCommit(false);
        System.out.printf(Locale.ROOT, "%,d orders, %,d open reservations, %,d grabs: %.0f s%n",
                history.orders(), history.open(), history.grabs(),
                (System.nanoTime() - from) / 1e9);
        return connection;
    }

    private boolean measured(Sql sql, Connection a, Sample ofFew, Connection b, Sample ofMany)
            throws SQLException, IOException {
        List<Plan> inFew = new ArrayList<>();
        List<Plan> inMany = new ArrayList<>();
        for (int round = -WARM_UP; round < rounds; round++) {
            Plan one = Plan.of(a, sql, ofFew);
            Plan other = Plan.of(b, sql, ofMany);
            if (round >= 0) {
                inFew.add(one);
                inMany.add(other);
            }
        }
        Files.writeString(plans.resolve(sql.name() + ".txt"), Plan.text(a, sql, ofFew)
                + "\n\n" + Plan.text(b, sql, ofMany) + "\n");
        Plan small = median(inFew);
        Plan large = median(inMany);
        List<String> wrong = wrong(small, large);
        System.out.printf(Locale.ROOT, "%-28s %-12s %9d %9d %6.2f %9.3f %9.3f %6.2f  %s%n",
                sql.name(), ofFew.frequency(), small.buffers(), large.buffers(),
                (double) large.buffers() / Math.max(1, small.buffers()), small.ms(), large.ms(),
                large.ms() / small.ms(), wrong.isEmpty() ? "yes" : "NO " + wrong);
        return wrong.isEmpty();
    }

    /** What a statement costs too much of in the large history. */
    private static List<String> wrong(Plan small, Plan large) {
        List<String> wrong = new ArrayList<>(large.wrong());
        if (large.buffers() > BUFFERS_RATIO_MAX * small.buffers() + BUFFERS_MORE) {
            wrong.add("buffers");
        }
        if (large.ms() > Math.max(MS_RATIO_MAX * small.ms(), small.ms() + MS_MORE)) {
            wrong.add("time");
        }
        return wrong;
    }

    private static Plan median(List<Plan> plans) {
        return plans.stream().sorted(Comparator.comparing(Plan::ms))
                .toList().get(plans.size() / 2);
    }
}
