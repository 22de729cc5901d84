package dev.rush.scripts;

import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

/** Deadlines of requests, in milliseconds by Redis's clock. */
final class Deadline {
    static final long FOREVER = 99_999_999_999_999L;
    /** Reaches the script as a word, which only a defect of the service could send. */
    static final long BROKEN = Long.MIN_VALUE;

    private Deadline() {
    }

    /** A deadline, nearly always in the future; some have passed or pass now, few are broken. */
    static long any(Random random) {
        return switch (random.nextInt(60)) {
            case 0, 1 -> 0;
            case 2, 3 -> System.currentTimeMillis() - 2 + random.nextInt(5);
            case 4 -> BROKEN;
            default -> FOREVER;
        };
    }

    /** The earliest of a call, and all of them unless they are equal. */
    static List<String> texts(List<Long> all) {
        return List.of(text(Collections.min(all)), Set.copyOf(all).size() == 1 ? ""
                : all.stream().map(Deadline::text).collect(Collectors.joining(" ")));
    }

    private static String text(long deadline) {
        return deadline == BROKEN ? "soon" : Long.toString(deadline);
    }
}
