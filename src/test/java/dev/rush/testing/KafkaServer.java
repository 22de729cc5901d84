package dev.rush.testing;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The process of a {@link KafkaBroker}: formats its folder at the first start, and serves. */
final class KafkaServer {

    private KafkaServer() {
    }

    public static void main(String[] args) {
        Path settings = Path.of(args[0]);
        if (!Files.exists(settings.resolveSibling("data").resolve("meta.properties"))) {
            int exit = kafka.tools.StorageTool.execute(List.of("format", "--config",
                    settings.toString(), "--cluster-id", "cnVzaC10ZXN0cy1vbmx5")
                    .toArray(String[]::new), System.out);
            if (exit != 0) {
                System.exit(exit);
            }
        }
        kafka.Kafka.main(new String[] {settings.toString()});
    }
}
