package dev.rush.offer;

import dev.rush.http.Word;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Arrays;

/** A counter per word, with the word as the label {@code outcome}. */
public final class WordCounters {

    /** By the ordinals of the words. */
    private final Counter[] counters;

    /** Registers the counters {@code name{outcome="<word>"}}. */
    public WordCounters(MeterRegistry registry, String name, String description) {
        this.counters = Arrays.stream(Word.values())
                .map(word -> Counter.builder(name).tag("outcome", word.text())
                        .description(description).register(registry))
                .toArray(Counter[]::new);
    }

    /** Counts one outcome. */
    public void count(Word word) {
        counters[word.ordinal()].increment();
    }
}
