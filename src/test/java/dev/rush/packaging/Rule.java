package dev.rush.packaging;

import java.util.List;
import java.util.function.BiConsumer;

/** A rule of the packaging. It holds if it has no findings. */
record Rule(String name, BiConsumer<Packaging, Findings> check) {

    List<String> findings(Packaging packaging) {
        Findings findings = new Findings();
        check.accept(packaging, findings);
        return findings.all();
    }

    @Override
    public String toString() {
        return name;
    }
}
