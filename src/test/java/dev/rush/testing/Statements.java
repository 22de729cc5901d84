package dev.rush.testing;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.rush.ledger.sql.Sql;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * All statements of the service. Only static initializers create them, which SqlTest checks, so
 * they are complete once every class that creates one is initialized.
 */
public final class Statements {
    private static final JavaClasses CLASSES =
            new ClassFileImporter().importPath(Path.of("target/classes/dev/rush"));

    private Statements() {
    }

    /** The classes of the service. */
    public static JavaClasses classes() {
        return CLASSES;
    }

    /** All statements, by name. */
    public static List<Sql> all() {
        CLASSES.stream().filter(Statements::createsStatements).forEach(Statements::initialize);
        return Sql.all();
    }

    private static boolean createsStatements(JavaClass javaClass) {
        return javaClass.getMethodCallsFromSelf().stream()
                .anyMatch(call -> call.getTargetOwner().isEquivalentTo(Sql.class)
                        && call.getName().equals("named"));
    }

    private static void initialize(JavaClass javaClass) {
        try {
            Class.forName(javaClass.getName());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A statement's text with {@code $1} and so on for its parameters, as in PostgreSQL. */
    public static String numbered(Sql sql) {
        Matcher parameters = Pattern.compile("\\?").matcher(sql.text());
        StringBuilder numbered = new StringBuilder();
        for (int i = 1; parameters.find(); i++) {
            parameters.appendReplacement(numbered, "\\$" + i);
        }
        return parameters.appendTail(numbered).toString();
    }
}
