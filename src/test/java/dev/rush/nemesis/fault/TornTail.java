package dev.rush.nemesis.fault;

import dev.rush.nemesis.Topology;
import dev.rush.testing.RedisNode;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** A master is killed and restarts at once from a truncated append-only file. */
final class TornTail extends Fault {
    private static final int TORN_BYTES_MAX = 20_000;

    TornTail() {
        super("torn-tail", Group.REDIS, Effect.LOSES_WRITES);
    }

    @Override
    public String unavailableReason() {
        return Nodes.aofRepairUnavailableReason();
    }

    @Override
    public Injection inject(Topology topology, Random random) throws IOException {
        RedisNode master = Nodes.master(topology, random);
        List<Integer> partitions = Nodes.partitions(master);
        master.server().kill();
        int torn = random.nextInt(TORN_BYTES_MAX);
        try (Stream<Path> files = Files.walk(master.server().folder().resolve("appendonlydir"))) {
            Path tail = files.filter(file -> file.toString().endsWith(".incr.aof"))
                    .max(Comparator.comparing(Path::toString)).orElseThrow();
            try (FileChannel file = FileChannel.open(tail, StandardOpenOption.WRITE)) {
                file.truncate(Math.max(0, file.size() - torn));
            }
        }
        master.server().restart();
        return new Injection(master + " without " + torn + " bytes", partitions,
                () -> Nodes.heal(topology));
    }
}
