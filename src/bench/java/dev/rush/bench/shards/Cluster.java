package dev.rush.bench.shards;

import dev.rush.bench.Servers;
import dev.rush.bench.rush.Operator;
import dev.rush.bench.wire.HttpSession;
import dev.rush.bench.wire.Tally;
import dev.rush.bench.wire.Wire;
import dev.rush.dev.EmbeddedLedger;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.Shards;
import dev.rush.testing.Pod;
import dev.rush.testing.Resp;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** A cluster of so many masters and one service on it, whose sales have a shard on each master. */
final class Cluster implements AutoCloseable {
    private static final Partitions PARTITIONS = new Partitions(64);
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(10);
    private static final int PLENTY = 900_000_000;

    private final int masters;
    private final Servers servers;
    private final Pod pod;
    private int named;

    Cluster(int masters, EmbeddedLedger ledger) {
        this.masters = masters;
        servers = Servers.cluster(masters + (masters == 1 ? " master" : " masters"), masters);
        try {
            pod = Pod.start("shards-bench-" + masters, Map.of("rush.role", "api",
                    "rush.orders.sink", "postgres",
                    "quarkus.redis.hosts", servers.hosts(),
                    "quarkus.redis.client-type", "cluster",
                    "quarkus.datasource.jdbc.url", ledger.freshDatabase()));
        } catch (RuntimeException | Error e) {
            servers.close();
            throw e;
        }
    }

    int masters() {
        return masters;
    }

    /** Sells so many units to as many buyers. Purchases per processor second of each master. */
    List<Double> sell(int purchases, int connections) {
        servers.clear();
        String sale = newId();
        new Operator(pod.baseUri()).prepare("/v1/sales/" + sale,
                "{\"items\":[{\"sku\":\"unit\",\"total\":" + PLENTY + ",\"limitPerUser\":1}],"
                        + "\"shards\":" + masters + "}");
        List<Double> before = servers.cpuSeconds();
        Tally tally = drive(sale, purchases, connections);
        List<Double> after = servers.cpuSeconds();
        if (tally.of("accepted") != purchases) {
            throw new IllegalStateException("not all were accepted: " + tally.words() + ", "
                    + tally.failures());
        }
        List<Double> ceilings = new ArrayList<>();
        Shards shards = PARTITIONS.shards(sale, masters);
        for (Partition shard : shards.partitions()) {
            int master = servers.master(shard.slot());
            ceilings.add(ordered(shard, sale) / (after.get(master) - before.get(master)));
        }
        return ceilings;
    }

    private Tally drive(String sale, int purchases, int connections) {
        Tally tally = new Tally(null);
        Wire wire = new Wire(ANSWER_LIMIT);
        URI service = pod.baseUri();
        Supplier<byte[]> requests = requests(service, sale, purchases);
        for (int i = 0; i < connections; i++) {
            wire.add(new InetSocketAddress(service.getHost(), service.getPort()),
                    new HttpSession(requests, tally));
        }
        wire.run();
        return tally;
    }

    private static Supplier<byte[]> requests(URI service, String sale, int purchases) {
        String body = "{\"items\":[{\"sku\":\"unit\",\"quantity\":1}]}";
        int[] count = new int[1];
        return () -> ++count[0] > purchases ? null : ("POST /v1/sales/" + sale
                + "/purchases HTTP/1.1\r\nHost: " + service.getAuthority()
                + "\r\nX-User-Id: buyer-" + count[0] + "\r\nContent-Type: application/json"
                + "\r\nContent-Length: " + body.length() + "\r\n\r\n" + body)
                .getBytes(StandardCharsets.US_ASCII);
    }

    /** A sale whose shards lie on one master each; by chance not every one's do. */
    private String newId() {
        String id;
        do {
            id = "sale-" + named++;
        } while (PARTITIONS.shards(id, masters).partitions().stream()
                .map(shard -> servers.master(shard.slot())).distinct().count() < masters);
        return id;
    }

    private long ordered(Partition shard, String sale) {
        try (Resp redis = Resp.connect(servers.port(shard.tag()))) {
            return Long.parseLong(redis.text(
                    "HGET", shard.key("sale:" + sale + ":stock"), "unit:ordered"));
        }
    }

    @Override
    public void close() {
        pod.close();
        servers.close();
    }
}
