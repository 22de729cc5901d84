package dev.rush.reconciliation.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.http.Problem;
import dev.rush.http.ProblemException;
import dev.rush.ledger.Actor;
import dev.rush.ledger.LeaderLease;
import dev.rush.ledger.Steps;
import dev.rush.ledger.TestJournal;
import dev.rush.testing.Environments;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A real journal that has a month with two orders of a sale, one of them returned. */
abstract class OnSoldMonth {
    static final String MONTH = "2026-01";
    static final Actor ANN = new Actor("operator:ann");

    final TestJournal test = new TestJournal(Environments.ledger().freshDatabase());
    final LeaderLease lease = new LeaderLease(test.ledger, () -> false, Set::of);
    final Archive archive = new Archive(test.ledger, lease, test.config);
    String sale;
    UUID order;

    @BeforeEach
    void sell() {
        sale = test.sale("apple:9:0");
        order = test.order(sale, "u", "k", "apple:1", 0);
        test.order(sale, "v", null, "apple:2", 0);
        test.transact((connection, ledgerState) -> Steps.giveBack(connection, ledgerState,
                test.find(sale, order), ANN, null));
        test.sql("DELETE FROM credits");
        test.sql("INSERT INTO returns (id, sale, user_id, key, state, actor, cause) VALUES"
                + " (gen_random_uuid(), '" + sale + "', 'u', 'never', 'void', 'buyer:u', 'I, u')");
    }

    @AfterEach
    void close() throws SQLException {
        test.close();
    }

    void retire() {
        test.sql("UPDATE sales SET state = 'retired'");
    }

    Problem refused(String month) {
        return refused(archive, month);
    }

    static Problem refused(Archive archive, String month) {
        Problem[] problem = new Problem[1];
        assertThatThrownBy(() -> archive.archive(month, ANN)).isInstanceOfSatisfying(
                ProblemException.class, e -> problem[0] = e.problem());
        return problem[0];
    }

    static String text(Problem problem) {
        return new String(problem.body(), StandardCharsets.UTF_8);
    }

    static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    String rows(String table) {
        return test.sql("SELECT count(*) FROM " + table);
    }

    String attached() {
        return test.sql("SELECT count(*) FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid"
                + " WHERE c.relkind = 'r' AND c.relname LIKE '%202601'");
    }

    void assertArchived(Archive.Month month) {
        assertThat(month.month()).isEqualTo(MONTH);
        assertThat(month.tables()).contains(new Archive.Table("archive.orders_202601", 2),
                new Archive.Table("archive.blocks_202601", 2),
                new Archive.Table("archive.steps_202601", 1),
                new Archive.Table("archive.grabs_202601", 0),
                new Archive.Table("archive.returns_202601", 1),
                new Archive.Table("archive.sales_202601", 1),
                new Archive.Table("archive.items_202601", 1)).hasSize(11);
        assertThat(month.rows()).isEqualTo(
                month.tables().stream().mapToLong(Archive.Table::rows).sum());
        assertThat(attached()).isEqualTo("0");
        month.tables().forEach(table -> assertThat(rows(table.table())).as(table.table())
                .isEqualTo(Long.toString(table.rows())));
        assertThat(List.of(rows("orders"), rows("steps"), rows("returns"))).containsOnly("0");
        assertThat(test.sql("SELECT state FROM sales")).isEqualTo("archived");
        assertThat(test.sold(sale)).isEqualTo("apple 2");
        assertThat(test.sums(sale)).isEqualTo("apple 3 0 2 0 1 0");
        assertThat(test.find(sale, order)).isNull();
    }
}
