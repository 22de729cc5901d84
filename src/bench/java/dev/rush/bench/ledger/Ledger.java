package dev.rush.bench.ledger;

import dev.rush.bench.MachineLoad;
import dev.rush.bench.rush.Operator;
import dev.rush.dev.EmbeddedLedger;
import dev.rush.dev.EmbeddedRedis;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.testing.Await;
import dev.rush.testing.Pod;
import dev.rush.testing.Resp;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Measures how fast orders get from the stream to PostgreSQL, against two baselines: a plain INSERT
 * and a plain COPY of the same rows. The baselines come first in every second round.
 */
public final class Ledger {
    private static final int PARTITIONS = 64;
    private static final int PARTITION = 7;
    private static final Duration LIMIT = Duration.ofSeconds(60);
    /** Rounds that do not count, while both JVMs compile. */
    private static final int WARM_UP = 16;

    private final int orders = Integer.getInteger("ledger.orders", 60_000);
    private final int batch = Integer.getInteger("ledger.batch", 2_000);
    private final int rounds = Integer.getInteger("ledger.rounds", 15);
    private final List<Round> counted = new ArrayList<>();

    private Ledger() {
    }

    /** Orders per second, and CPU time per order. */
    private record Measurement(double rate, Cpu cpu) {
    }

    /** Three measurements with the same orders. */
    private record Round(Measurement rush, Baselines baselines) {

        double toInsert() {
            return rush.rate / baselines.insert.rate;
        }

        double toCopy() {
            return rush.rate / baselines.copy.rate;
        }
    }

    private record Baselines(Measurement insert, Measurement copy) {
    }

    /** Measures and prints a table and the medians. */
    public static void main(String[] args) throws Exception {
        System.out.println(MachineLoad.before());
        new Ledger().run();
        System.out.println(MachineLoad.after());
    }

    private void run() throws Exception {
        Partition partition = new Partitions(PARTITIONS).all().get(PARTITION);
        try (EmbeddedRedis redis = EmbeddedRedis.startDurable("--auto-aof-rewrite-percentage", "0");
                EmbeddedLedger server = EmbeddedLedger.start()) {
            String url = server.freshDatabase();
            // Book checks are rare, because they are not part of the measurement.
            Map<String, String> config = Map.of("rush.role", "writer",
                    "rush.orders.sink", "postgres", "rush.books.interval", "PT60S",
                    "rush.writer.batch", Integer.toString(batch), Pod.COMPILER_LEVEL, "4",
                    Pod.NEW_RATIO, "2",
                    "quarkus.redis.hosts", redis.url(), "quarkus.datasource.jdbc.url", url);
            try (Pod writer = Pod.start("ledger-bench", config);
                    Resp resp = Resp.connect(redis.port(), LIMIT);
                    Connection control = awaitLeases(url);
                    PlainRows plain = new PlainRows(url, PARTITION);
                    Drain drain = new Drain(url, resp, partition)) {
                System.out.printf("%d orders of one sale with a limit, in batches of %d%n",
                        orders, batch);
                System.out.println("                                                  "
                        + "CPU µs per order: stream to PostgreSQL     plain insert");
                System.out.println("round   stream to    insert ratio      COPY ratio    "
                        + "writer  Redis  PostgreSQL   client  PostgreSQL");
                for (int round = 1 - WARM_UP; round <= rounds; round++) {
                    round(round, writer, redis, resp, partition, plain, drain, control);
                }
            }
        }
        printMedian("the plain insert", Round::toInsert);
        printMedian("a plain COPY", Round::toCopy);
        Cpu rush = Cpu.median(counted.stream().map(round -> round.rush.cpu).toList());
        Cpu insert = Cpu.median(counted.stream().map(
                round -> round.baselines.insert.cpu).toList());
        System.out.printf(Locale.ROOT, "median CPU %.1f µs an order beside %.1f µs%n",
                rush.sum(), insert.sum());
    }

    private void printMedian(String baseline, ToDoubleFunction<Round> ratio) {
        double[] ratios = counted.stream().mapToDouble(ratio).sorted().toArray();
        System.out.printf(Locale.ROOT, "median ratio to %s %.2f (%.2f to %.2f)%n", baseline,
                ratios[ratios.length / 2], ratios[0], ratios[ratios.length - 1]);
    }

    private void round(int round, Pod writer, EmbeddedRedis server, Resp redis,
            Partition partition, PlainRows plain, Drain drain, Connection control)
            throws Exception {
        String sale = newSale(writer, round + WARM_UP);
        // The writer is stopped while the stream fills, but stays warm.
        signal("STOP", writer);
        List<Order> bought = Buying.buy(redis, partition, sale, orders);
        Baselines baselines = round % 2 == 0 ? baselines(plain, sale, bought, control) : null;
        checkpoint(control);
        Cpu before = Cpu.ofWriter(writer, server, control);
        signal("CONT", writer);
        Drain.Drained drained = drain.watch(sale, orders);
        Measurement rush = new Measurement(drained.orders() / drained.seconds(),
                Cpu.ofWriter(writer, server, control).since(before, orders));
        if (baselines == null) {
            signal("STOP", writer);
            baselines = baselines(plain, sale, bought, control);
            signal("CONT", writer);
        }
        show(round, new Round(rush, baselines));
    }

    private Baselines baselines(PlainRows plain, String sale, List<Order> bought,
            Connection control) throws SQLException {
        Measurement insert = baseline(plain, false, sale, bought, control);
        return new Baselines(insert, baseline(plain, true, sale, bought, control));
    }

    private Measurement baseline(PlainRows plain, boolean isCopy, String sale, List<Order> bought,
            Connection control) throws SQLException {
        checkpoint(control);
        Cpu before = Cpu.ofThread(plain.connection());
        double seconds = plain.seconds(isCopy, sale, bought, batch);
        return new Measurement(orders / seconds,
                Cpu.ofThread(plain.connection()).since(before, orders));
    }

    private void show(int number, Round round) {
        Cpu rush = round.rush.cpu;
        Measurement insert = round.baselines.insert;
        System.out.printf(Locale.ROOT,
                "%5s %8.0f/s %7.0f/s %5.2f %7.0f/s %5.2f %9.1f %6.1f %11.1f %8.1f %11.1f%n",
                number < 1 ? "warm" : Integer.toString(number), round.rush.rate,
                insert.rate, round.toInsert(), round.baselines.copy.rate, round.toCopy(),
                rush.client(), rush.redis(), rush.server(), insert.cpu.client(),
                insert.cpu.server());
        if (number > 0) {
            counted.add(round);
        }
    }

    /** Waits for the leases, which the writer takes once it has created the schema. */
    private static Connection awaitLeases(String url) throws SQLException {
        Connection connection = DriverManager.getConnection(url);
        Await.until("the writer has its leases", LIMIT, () -> {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(
                            "SELECT count(*) FROM leases WHERE until > now()")) {
                return row.next() && row.getInt(1) == PARTITIONS;
            } catch (SQLException e) {
                return false;
            }
        });
        return connection;
    }

    /** Prepares a new sale in the measured partition. */
    private String newSale(Pod writer, int round) {
        Partitions partitions = new Partitions(PARTITIONS);
        int suffix = 0;
        String sale;
        do {
            sale = "sale-" + round + "-" + suffix++;
        } while (partitions.of(sale).index() != PARTITION);
        new Operator(writer.baseUri()).prepare("/v1/sales/" + sale,
                "{\"items\":[{\"sku\":\"apple\",\"total\":" + orders + ",\"limitPerUser\":1}]}");
        return sale;
    }

    /** Makes each measurement start without dirty buffers. */
    private static void checkpoint(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CHECKPOINT");
        }
    }

    private static void signal(String signal, Pod pod) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + signal, Long.toString(pod.pid())).start().waitFor();
    }
}
