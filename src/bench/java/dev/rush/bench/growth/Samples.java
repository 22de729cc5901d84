package dev.rush.bench.growth;

import com.tngtech.archunit.core.domain.JavaClass;
import dev.rush.ledger.sql.Sql;
import dev.rush.testing.Statements;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Samples of the statements whose cost must not grow with the number of stored orders. Every
 * statement of the service has a sample, or is exempt for a reason.
 */
final class Samples {
    private static final String ONCE_A_MONTH = "once a month, when its tables are archived";
    private static final String ON_REQUEST = "on request";
    private static final Map<String, String> EXEMPT = Map.ofEntries(
            Map.entry("hold-reservations", "only after PostgreSQL lost commits"),
            Map.entry("hold-some-reservations", "only after PostgreSQL lost commits"),
            Map.entry("attached-tables", ONCE_A_MONTH),
            Map.entry("tables-of-month", ONCE_A_MONTH),
            Map.entry("months-half-detached", ONCE_A_MONTH),
            Map.entry("is-table-locked", ONCE_A_MONTH),
            Map.entry("has-old-snapshots", ONCE_A_MONTH),
            Map.entry("unmarked-in-month", ONCE_A_MONTH),
            Map.entry("partitioned-tables", ONCE_A_MONTH),
            Map.entry("archive-table", ONCE_A_MONTH),
            Map.entry("archive-rest", ONCE_A_MONTH),
            Map.entry("archived-tables", ONCE_A_MONTH),
            Map.entry("archived-months", ON_REQUEST),
            Map.entry("open-in-month", ONCE_A_MONTH),
            Map.entry("archive-sales", ONCE_A_MONTH),
            Map.entry("archive-rains", ONCE_A_MONTH),
            Map.entry("is-month-over", ONCE_A_MONTH),
            Map.entry("last-event-of-month", ONCE_A_MONTH),
            Map.entry("archive-last-event", ONCE_A_MONTH),
            Map.entry("months-being-archived", ON_REQUEST),
            Map.entry("retired-sales", ON_REQUEST),
            Map.entry("retired-rains", ON_REQUEST),
            Map.entry("lock-erased-sales", ON_REQUEST),
            Map.entry("erase-steps-of-orders", ON_REQUEST),
            Map.entry("erase-steps-of-rejected", ON_REQUEST),
            Map.entry("erase-orders", ON_REQUEST),
            Map.entry("erase-rejected", ON_REQUEST),
            Map.entry("erase-returns", ON_REQUEST),
            Map.entry("erase-grabs", ON_REQUEST),
            Map.entry("erase-rejected-grabs", ON_REQUEST),
            Map.entry("erase-retries", ON_REQUEST),
            Map.entry("erase-deliveries", ON_REQUEST),
            Map.entry("erase-audit", ON_REQUEST),
            Map.entry("open-sales-of-user", ON_REQUEST),
            Map.entry("open-rains-of-user", ON_REQUEST));

    private Samples() {
    }

    /** Returns all samples of a history, by the name of their statement. */
    static Map<String, Sample> of(History history) {
        return Stream.of(LedgerSamples.of(history), WriterSamples.of(history),
                        StepSamples.of(history), OfferSamples.of(),
                        LossSamples.of(history), ReconciliationSamples.of(history),
                        RepairSamples.of(), EventSamples.of(history), ReturnSamples.of(history))
                .flatMap(List::stream)
                .collect(Collectors.toMap(Sample::name, sample -> sample, (one, other) -> {
                    throw new IllegalStateException("two samples of " + one.name());
                }, TreeMap::new));
    }

    /**
     * Returns the sampled statements by name.
     *
     * @throws IllegalStateException if a statement has neither a sample nor an exemption, or both,
     *         or if one of these has no statement
     */
    static Map<String, Sql> statements(Map<String, Sample> samples) {
        Map<String, Sql> statements = new TreeMap<>();
        Statements.all();
        Statements.classes().stream().filter(Samples::definesStatements).flatMap(Samples::constants)
                .forEach(sql -> statements.put(sql.name(), sql));
        Set<String> wrong = new TreeSet<>();
        statements.keySet().stream()
                .filter(name -> samples.containsKey(name) == EXEMPT.containsKey(name))
                .forEach(name -> wrong.add(name + " needs a sample or an exemption, not both"));
        Stream.concat(samples.keySet().stream(), EXEMPT.keySet().stream())
                .filter(name -> !statements.containsKey(name))
                .forEach(name -> wrong.add(name + " is not a statement"));
        if (!wrong.isEmpty()) {
            throw new IllegalStateException(String.join("; ", wrong));
        }
        statements.keySet().removeAll(EXEMPT.keySet());
        return statements;
    }

    private static boolean definesStatements(JavaClass javaClass) {
        return !javaClass.isEquivalentTo(Sql.class) && javaClass.getMethodCallsFromSelf().stream()
                        .anyMatch(call -> call.getTargetOwner().isEquivalentTo(Sql.class)
                                && call.getName().equals("named"));
    }

    private static Stream<Sql> constants(JavaClass javaClass) {
        List<Sql> constants = new ArrayList<>();
        try {
            for (Field field : Class.forName(javaClass.getName()).getDeclaredFields()) {
                if (field.getType() == Sql.class) {
                    field.setAccessible(true);
                    constants.add((Sql) field.get(null));
                }
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(javaClass.getName(), e);
        }
        long defined = javaClass.getMethodCallsFromSelf().stream()
                .filter(call -> call.getTargetOwner().isEquivalentTo(Sql.class)
                        && call.getName().equals("named")).count();
        if (constants.size() != defined) {
            throw new IllegalStateException(
                    "a statement of " + javaClass.getName() + " is not a constant");
        }
        return constants.stream();
    }
}
