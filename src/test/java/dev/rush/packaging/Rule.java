package dev.rush.packaging;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/** A promise about the packaging. Its findings say what breaks it; none where it holds. */
record Rule(String name, Function<Packaging, Stream<String>> check) {

    List<String> findings(Packaging packaging) {
        return check.apply(packaging).toList();
    }

    @Override
    public String toString() {
        return name;
    }
}
