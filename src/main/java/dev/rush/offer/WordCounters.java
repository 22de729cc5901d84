package dev.rush.offer;

import dev.rush.http.Word;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Map;

/** A counter per word, with the word as the label {@code outcome}. */
public final class WordCounters {

    private final Map<Word, Counter> counters = new EnumMap<>(Word.class);

    /** Registers the counters {@code name{outcome="<word>"}}. */
    public WordCounters(MeterRegistry registry, String name, String description) {
        for (Word word : Word.values()) {
            counters.put(word, Counter.builder(name).tag("outcome", word.text())
                    .description(description).register(registry));
        }
    }

    /** Counts one outcome. */
    public void count(Word word) {
        counters.get(word).increment();
    }
}
