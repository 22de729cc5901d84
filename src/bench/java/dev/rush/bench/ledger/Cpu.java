package dev.rush.bench.ledger;

import dev.rush.bench.Measures;
import dev.rush.dev.EmbeddedRedis;
import dev.rush.testing.Pod;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** CPU time of each process. It depends far less on other load of the machine than speed does. */
record Cpu(double client, double redis, double server) {

    /** Returns the seconds used so far by writer, Redis and the writer's PostgreSQL backends. */
    static Cpu ofWriter(Pod writer, EmbeddedRedis redis, Connection control) throws SQLException {
        double server = 0;
        try (Statement statement = control.createStatement();
                ResultSet row = statement.executeQuery(
                "SELECT pid FROM pg_stat_activity WHERE application_name = 'rush'")) {
            while (row.next()) {
                server += of(row.getLong(1));
            }
        }
        return new Cpu(of(writer.pid()), of(redis.pid()), server);
    }

    /** Returns the seconds used by this thread and its PostgreSQL backend so far. */
    static Cpu ofThread(Connection connection) throws SQLException {
        double client = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() / 1e9;
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
            row.next();
            return new Cpu(client, 0, of(row.getLong(1)));
        }
    }

    private static double of(long pid) {
        return ProcessHandle.of(pid).flatMap(process -> process.info().totalCpuDuration())
                .orElse(Duration.ZERO).toNanos() / 1e9;
    }

    /** Returns the microseconds per order since an earlier measurement. */
    Cpu since(Cpu before, int orders) {
        double scale = 1e6 / orders;
        return new Cpu((client - before.client) * scale, (redis - before.redis) * scale,
                (server - before.server) * scale);
    }

    double sum() {
        return client + redis + server;
    }

    /** Returns the median of each process. */
    static Cpu median(List<Cpu> all) {
        return new Cpu(median(all, Cpu::client), median(all, Cpu::redis),
                median(all, Cpu::server));
    }

    private static double median(List<Cpu> all, ToDoubleFunction<Cpu> part) {
        return Measures.median(all.stream().map(part::applyAsDouble).toList());
    }
}
