package dev.rush.scripts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.dev.EmbeddedRedis;
import dev.rush.testing.Resp;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A disk that fails between the beginning of a script and its first write. */
class RefusedWriteTest {
    private static final String ANSWER = "include/answer";
    private static final String REFUSING = """
            call = function()
              error({ err = 'MISCONF Errors writing to the AOF file: Input/output error' })
            end
            """;

    @Test
    @DisplayName("A first write that Redis refuses fails the call as one that ran nothing")
    void refusedWriteRanNothing() {
        try (EmbeddedRedis redis = EmbeddedRedis.start(); Resp resp = Resp.connect(redis.port())) {
            LuaScripts scripts = new LuaScripts(resp,
                    Map.of(ANSWER, REFUSING + LuaScripts.source(ANSWER)));
            SaleGate sale = new SaleGate(scripts);
            SaleTerms terms = new SaleTerms(0, 0, "none", 1, 0, true, 20, 3,
                    Map.of("a", new SaleTerms.Item(9, 0)));
            sale.hold(terms, "one", "epoch");
            sale.release(terms, "epoch", true);
            sale.ensure();
            Purchase purchase = new Purchase(Deadline.FOREVER, "o1", "u", "o1", Map.of("a", 1L));
            long before = scripts.changes();
            assertThatThrownBy(() -> sale.purchase(1_000_000, List.of(purchase)))
                    .hasMessageStartingWith("MISCONF ");
            assertThat(scripts.changes()).isEqualTo(before);
        }
    }
}
