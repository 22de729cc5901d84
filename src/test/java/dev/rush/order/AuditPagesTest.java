package dev.rush.order;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.rush.ledger.Actor;
import dev.rush.ledger.AuditRows;
import dev.rush.ledger.Payment;
import dev.rush.ledger.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Auditors read who changed what, from the first change on. */
class AuditPagesTest {

    @Test
    @DisplayName("Every change is read once, page by page, and shown as JSON")
    void pages() throws Exception {
        try (TestLife test = new TestLife()) {
            AuditPages pages = new AuditPages(test.journal.ledger);
            String sale = test.sale(1);
            UUID order = test.order(sale, "k", Long.MAX_VALUE);
            for (int i = 0; i < 3; i++) {
                int total = i;
                test.journal.transact((connection, ledgerState) -> {
                    AuditRows.insert(connection, ledgerState, UUID.randomUUID(),
                            new Actor("operator:ann"), "item.total", sale + "/a", 9,
                            Map.of("total", total), "more came");
                    return null;
                });
            }
            test.confirmations.confirm(sale, order, null, new Actor("payer:p"), Payment.NONE)
                    .join();
            List<AuditPages.Change> all = new ArrayList<>();
            Position after = Position.START;
            while (after != null) {
                AuditPages.Page page = pages.after(after, 2).join();
                assertThat(page.changes()).hasSizeLessThanOrEqualTo(2);
                all.addAll(page.changes());
                after = page.next() == null ? null : Position.parse(page.next());
                if (after == null && all.isEmpty()) {
                    // The check of the ledger began an epoch.
                    after = new Position(2, 0, 0);
                }
            }
            assertThat(all).extracting(AuditPages.Change::action).containsExactly("item.total",
                    "item.total", "item.total", "order.confirmed");
            String json = new JsonMapper().writeValueAsString(all.get(1));
            assertThat(json).contains("\"before\":9,\"after\":{\"total\": 1}",
                    "\"cause\":\"more came\"", "\"actor\":\"operator:ann\"");
            assertThat(all.get(3)).extracting(AuditPages.Change::actor,
                    AuditPages.Change::before, AuditPages.Change::after)
                    .containsExactly("payer:p", "\"reserved\"", "\"confirmed\"");
        }
    }

    @Test
    @DisplayName("Epochs without changes are skipped, and a cursor that a restore undid is "
            + "unknown")
    void epochs() throws Exception {
        try (TestLife test = new TestLife()) {
            AuditPages pages = new AuditPages(test.journal.ledger);
            for (int i = 0; i < 60; i++) {
                test.journal.check();
            }
            test.journal.sql("UPDATE ledger SET checked_at = now() - interval '2 minutes'");
            int epoch = Integer.parseInt(test.journal.sql("SELECT epoch FROM ledger"));
            AuditPages.Page first = pages.after(Position.START, 10).join();
            assertThat(first.changes()).isEmpty();
            assertThat(first.next()).isEqualTo(new Position(51, 0, 0).text());
            AuditPages.Page last = pages.after(Position.parse(first.next()), 10).join();
            assertThat(last.next()).isEqualTo(new Position(epoch, 0, 0).text());
            assertThat(pages.after(Position.parse(last.next()), 10).join())
                    .isEqualTo(new AuditPages.Page(List.of(), null));
            assertThat(pages.after(new Position(epoch + 1, 0, 0), 10).join()).isNull();
        }
    }
}
