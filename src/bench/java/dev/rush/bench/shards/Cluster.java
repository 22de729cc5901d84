package dev.rush.bench.shards;

import dev.rush.bench.Servers;
import dev.rush.bench.ledger.Buying;
import dev.rush.bench.rush.Operator;
import dev.rush.dev.EmbeddedLedger;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.Shards;
import dev.rush.testing.Pod;
import dev.rush.testing.Resp;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A cluster and a pod that uses it; each sale has one shard on each master. */
final class Cluster implements AutoCloseable {
    private static final Partitions PARTITIONS = new Partitions(64);
    private static final int UNITS = 900_000_000;

    private final int masters;
    private final Servers servers;
    private final Pod pod;
    private int nextId;

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

    /**
     * Sells one unit to each buyer in the buyer's home shard. The masters work one after the other,
     * so that they do not compete for CPU caches. Returns the purchases per second of CPU time for
     * each master.
     */
    List<Double> sell(int buyers) {
        servers.clear();
        String sale = newId();
        new Operator(pod.baseUri()).prepare("/v1/sales/" + sale,
                "{\"items\":[{\"sku\":\"apple\",\"total\":" + UNITS + ",\"limitPerUser\":1}],"
                        + "\"shards\":" + masters + "}");
        Shards shards = PARTITIONS.shards(sale, masters);
        Map<Partition, List<String>> homes = IntStream.range(0, buyers)
                .mapToObj(i -> "buyer-" + i).collect(Collectors.groupingBy(
                        user -> shards.partitions().get(shards.home(user))));
        List<Double> before = servers.cpuSeconds();
        homes.forEach((shard, users) -> {
            try (Resp redis = Resp.connect(servers.port(shard.tag()))) {
                Buying.buy(redis, shard, sale, users);
            }
        });
        List<Double> after = servers.cpuSeconds();
        List<Double> ceilings = new ArrayList<>();
        for (Partition shard : shards.partitions()) {
            int master = servers.master(shard.slot());
            ceilings.add(homes.get(shard).size() / (after.get(master) - before.get(master)));
        }
        return ceilings;
    }

    /** Returns the id of a sale whose shards lie on different masters. */
    private String newId() {
        String id;
        do {
            id = "sale-" + nextId++;
        } while (PARTITIONS.shards(id, masters).partitions().stream()
                .map(shard -> servers.master(shard.slot())).distinct().count() < masters);
        return id;
    }

    @Override
    public void close() {
        pod.close();
        servers.close();
    }
}
