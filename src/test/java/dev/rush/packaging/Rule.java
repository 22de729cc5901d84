package dev.rush.packaging;

import java.util.List;
import java.util.function.BiConsumer;

/** A promise about the packaging. Its findings say what breaks it; none where it holds. */
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
