package dev.rush.status;

import dev.rush.status.PodReport.Alarm;
import dev.rush.status.PodReport.Master;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The gauges of this pod at one moment, so that the status agrees with the metrics. */
final class Figures {

    private static final double MEMORY_SHARE_MAX = 0.7;
    private static final String MEMORY_ALARM = "RushRedisMemory";
    private static final List<String> SUBJECTS = List.of("master", "sale", "webhook");
    private static final Map<String, List<Condition>> CONDITIONS = Arrays.stream(
            Condition.values()).collect(Collectors.groupingBy(Condition::gauge));

    private final Map<String, Double> single = new TreeMap<>();
    private final Map<String, Map<String, Double>> masters = new TreeMap<>();
    private final List<Alarm> alarms = new ArrayList<>();

    /** Reads all gauges of a registry. */
    Figures(MeterRegistry registry) {
        for (Meter meter : registry.getMeters()) {
            if (meter instanceof Gauge gauge && meter.getId().getName().startsWith("rush.")) {
                read(gauge.getId(), gauge.value());
            }
        }
        masters.forEach((master, figures) -> {
            double max = figures.getOrDefault("rush.redis.memory.max", 0.0);
            double share = figures.getOrDefault("rush.redis.memory.used", 0.0) / max;
            if (max > 0 && share > MEMORY_SHARE_MAX) {
                alarms.add(new Alarm(MEMORY_ALARM, "warning", master, share));
            }
        });
        alarms.sort(Comparator.comparing(Alarm::severity).thenComparing(Alarm::alarm)
                .thenComparing(alarm -> String.valueOf(alarm.subject())));
    }

    private void read(Meter.Id id, double value) {
        if (Double.isNaN(value)) {
            return;
        }
        String master = id.getTag("master");
        if (master != null) {
            masters.computeIfAbsent(master, known -> new TreeMap<>()).put(id.getName(), value);
        } else if (id.getTags().isEmpty()) {
            single.put(id.getName(), value);
        }
        String state = id.getTag("state");
        String subject = SUBJECTS.stream().map(id::getTag).filter(tag -> tag != null)
                .findFirst().orElse(null);
        for (Condition condition : CONDITIONS.getOrDefault(id.getName(), List.of())) {
            if (condition.isWrong(value)
                    && (state == null || state.equals(Condition.STATE_NOT_LOADED))) {
                alarms.add(new Alarm(condition.alarm(), condition.severity(), subject, value));
            }
        }
    }

    /** A gauge without labels; null while it is absent. */
    <T> @Nullable T value(String name, Function<Double, T> conversion) {
        Double value = single.get(name);
        return value == null ? null : conversion.apply(value);
    }

    List<Master> masters() {
        return masters.entrySet().stream().map(entry -> {
            Map<String, Double> figures = entry.getValue();
            Double failed = figures.get("rush.redis.write.failed");
            return new Master(entry.getKey(), toLong(figures.get("rush.redis.replicas")),
                    toLong(figures.get("rush.redis.memory.used")),
                    toLong(figures.get("rush.redis.memory.max")),
                    failed == null ? null : failed > 0);
        }).toList();
    }

    private static @Nullable Long toLong(@Nullable Double value) {
        return value == null ? null : value.longValue();
    }

    List<Alarm> alarms() {
        return alarms;
    }
}
