package dev.rush.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import dev.rush.ledger.sql.Sql;
import dev.rush.testing.Statements;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Rules for every statement of the journal, so that its cost does not grow with all orders. */
class StatementRulesTest {
    private static final Pattern TABLE = Pattern.compile("(?:FROM|JOIN)\\s+"
            + "(?:orders|rejected|steps|grabs|rejected_grabs|blocks)\\b(?:\\s+([a-z])\\b)?");
    private static final String MONTH = "month = (?:\\?|ANY \\(\\?\\))";
    private static final Pattern CLOCK = Pattern.compile("extract\\(epoch FROM");
    private static final Pattern WHOLE_CLOCK = Pattern.compile(
            "\\(extract\\(epoch FROM [\\w(). -]+\\)\\s+\\* \\d+\\)::bigint");

    /** Statements of the ledger's packages: they are static fields. */
    private static List<Sql> statements() throws ReflectiveOperationException {
        Statements.all();
        List<Sql> found = new ArrayList<>();
        for (JavaClass one : Statements.classes()) {
            if (one.getPackageName().startsWith("dev.rush.ledger")
                    || one.getPackageName().startsWith("dev.rush.event")) {
                for (Field field : Class.forName(one.getName()).getDeclaredFields()) {
                    if (field.getType() == Sql.class && Modifier.isStatic(field.getModifiers())) {
                        field.setAccessible(true);
                        found.add((Sql) field.get(null));
                    }
                }
            }
        }
        assertThat(found).hasSizeGreaterThan(50);
        return found;
    }

    /** Whether each partitioned table has its own parameter for its months. */
    static boolean namesMonths(String sql) {
        Matcher tables = TABLE.matcher(sql);
        int without = 0;
        while (tables.find()) {
            String alias = tables.group(1) == null ? "" : tables.group(1) + "\\.";
            if (tables.group(1) == null) {
                without++;
            } else if (!Pattern.compile("\\b" + alias + MONTH).matcher(sql).find()) {
                return false;
            }
        }
        return Pattern.compile("(?<![.\\w])" + MONTH).matcher(sql).results().count() >= without;
    }

    @Test
    void eachPartitionedTableHasAParameterForItsMonths() throws Exception {
        TreeSet<String> wrong = new TreeSet<>();
        statements().stream().filter(sql -> !namesMonths(sql.text()))
                .forEach(sql -> wrong.add(sql.name()));
        assertThat(wrong).isEmpty();
        assertThat(namesMonths("SELECT FROM orders WHERE id = ?")).isFalse();
        assertThat(namesMonths("SELECT FROM orders o WHERE o.id = ?")).isFalse();
        assertThat(namesMonths("SELECT FROM orders o JOIN steps s ON s.month = o.month"
                + " WHERE o.month = ?")).isFalse();
        assertThat(namesMonths("SELECT FROM orders o JOIN steps s ON s.month = ?"
                + " WHERE o.month = ANY (?)")).isTrue();
    }

    @Test
    void comparedClocksAreWholeNumbers() throws Exception {
        assertThat(statements()).allSatisfy(sql -> assertThat(
                WHOLE_CLOCK.matcher(sql.text()).results().count()).as(sql.name())
                .isEqualTo(CLOCK.matcher(sql.text()).results().count()));
    }
}
