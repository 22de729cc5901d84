package dev.rush.ledger.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import dev.rush.testing.Statements;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Only one package runs SQL, and every statement has a name. */
class SqlTest {
    private static final String PACKAGE = Sql.class.getPackageName();
    /** The methods of a connection that other packages may call. */
    private static final Set<String> TRANSACTION =
            Set.of("setAutoCommit", "setNetworkTimeout", "commit", "rollback", "close");
    private static final Set<Class<?>> STATEMENTS =
            Set.of(Statement.class, PreparedStatement.class, CallableStatement.class);

    @Test
    void nothingElseRunsSql() {
        assertThat(calls(call -> runsSql(call) && !call.getOriginOwner().getPackageName()
                .equals(PACKAGE))).isEmpty();
    }

    @Test
    void onlyStaticInitializersCreateStatements() {
        assertThat(calls(call -> call.getTargetOwner().isEquivalentTo(Sql.class)
                && call.getName().equals("named") && !isStatic(call.getOrigin()))).isEmpty();
    }

    @Test
    void namesAreUniqueAndInKebabCase() {
        List<Sql> all = Statements.all();
        assertThat(all).hasSizeGreaterThan(20).extracting(Sql::name).doesNotHaveDuplicates()
                .allMatch(name -> name.matches("[a-z]+(-[a-z]+)*"));
        assertThatThrownBy(() -> Sql.named(all.get(0).name(), "SELECT 1"))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> Sql.named("byOrder", "SELECT 1"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static boolean runsSql(JavaCall<?> call) {
        JavaClass target = call.getTargetOwner();
        return STATEMENTS.stream().anyMatch(target::isEquivalentTo)
                || target.isEquivalentTo(Connection.class)
                && !TRANSACTION.contains(call.getName());
    }

    /** An enum's constructor is called by its static initializer only. */
    private static boolean isStatic(JavaCodeUnit unit) {
        return unit.getName().equals("<clinit>") || unit.getOwner().isEquivalentTo(Sql.class)
                || unit.isConstructor() && unit.getOwner().isEnum();
    }

    private static Set<String> calls(Predicate<JavaCall<?>> wanted) {
        Set<String> found = new TreeSet<>();
        Statements.classes().stream().flatMap(SqlTest::calls).filter(wanted)
                .forEach(call -> found.add(call.getDescription()));
        return found;
    }

    private static Stream<? extends JavaCall<?>> calls(JavaClass javaClass) {
        return Stream.concat(javaClass.getCodeUnits().stream()
                .flatMap(unit -> unit.getMethodCallsFromSelf().stream()),
                javaClass.getCodeUnits().stream()
                        .flatMap(unit -> unit.getConstructorCallsFromSelf().stream()));
    }
}
