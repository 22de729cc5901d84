package dev.rush.ledger;

import io.agroal.api.AgroalDataSource;
import io.quarkus.arc.InjectableInstance;
import io.quarkus.flyway.runtime.FlywayContainer;
import io.quarkus.flyway.runtime.FlywayContainerProducer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;

/**
 * Connections to a database, as the service uses them. One statement of the service or of its
 * migrations may be rewritten.
 */
public final class RewrittenSource implements AutoCloseable {
    private final String url;
    private final SqlRewrite rewrite;
    private final ConcurrentLinkedDeque<Connection> free = new ConcurrentLinkedDeque<>();

    public RewrittenSource(String url, SqlRewrite rewrite) {
        this.url = url;
        this.rewrite = rewrite;
    }

    /** What a proxy does; null leaves it to the real one, if there is any. */
    private interface Answer {
        Object to(String method, Object[] arguments) throws Exception;
    }

    /** The data source, as it is injected. */
    @SuppressWarnings("unchecked")
    public InjectableInstance<AgroalDataSource> sources() {
        AgroalDataSource source = proxy(AgroalDataSource.class, (method, arguments) ->
                method.equals("getConnection") ? connect() : null);
        return proxy(InjectableInstance.class,
                (method, arguments) -> method.equals("get") ? source : null);
    }

    /** Brings the schema up to date as the service does, through the same connections. */
    public static FlywayContainerProducer migrations(String location) {
        return new FlywayContainerProducer(null, null, List.of()) {
            @Override
            public FlywayContainer createFlyway(DataSource source, String name,
                    boolean hasMigrations, boolean createPossible) {
                return new FlywayContainer(Flyway.configure().dataSource(source)
                        .locations(location).load(), false, false, false, true, false, false,
                        name, hasMigrations, createPossible);
            }
        };
    }

    private static <T> T proxy(Class<T> type, Answer answer) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type},
                (self, method, arguments) -> switch (method.getName()) {
                    case "hashCode" -> System.identityHashCode(self);
                    case "equals" -> self == arguments[0];
                    case "toString" -> type.getName();
                    default -> answer.to(method.getName(), arguments);
                }));
    }

    private <T> T around(Class<T> type, Object real, Answer answer) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type},
                (self, method, arguments) -> {
                    Object first = answer.to(method.getName(), arguments);
                    if (first != null) {
                        return first;
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    private Connection connect() throws SQLException {
        Connection kept = free.poll();
        Connection real = kept != null ? kept : DriverManager.getConnection(url);
        return around(Connection.class, real, (method, arguments) -> switch (method) {
            case "prepareStatement" -> {
                arguments[0] = rewrite.apply((String) arguments[0]);
                yield null;
            }
            case "createStatement" -> around(Statement.class, real.createStatement(),
                    (name, given) -> {
                        if (name.startsWith("execute") && given != null) {
                            given[0] = rewrite.apply((String) given[0]);
                        }
                        return null;
                    });
            case "close" -> {
                // Flyway closes some twice.
                if (!free.contains(real)) {
                    real.setAutoCommit(true);
                    free.add(real);
                }
                yield true;
            }
            default -> null;
        });
    }

    @Override
    public void close() throws SQLException {
        for (Connection connection : free) {
            connection.close();
        }
    }
}
