package dev.rush.sale;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OrderCsvTest {

    @ParameterizedTest
    @CsvSource(delimiter = ' ', quoteCharacter = '`', value = {
        "apple apple", "=1+1 '=1+1", "+1 '+1", "-x:1 '-x:1", "@SUM(A1) '@SUM(A1)", "a=b a=b",
        "a,b `\"a,b\"`", "say\"so `\"say\"\"so\"`", "=\"x\" `\"'=\"\"x\"\"\"`",
        "a;=1 `\"a;=1\"`", "' '"})
    @DisplayName("A cell is quoted where it must be, and never a formula")
    void cellIsQuotedAndNeverAFormula(String text, String cell) {
        assertThat(OrderCsv.cell(text)).isEqualTo(cell);
    }

    @Test
    void linesFollowTheRfc() {
        OrderView order = OrderView.of("o-1", "day", "=x", "confirmed", "a:1,b:2", "9,8", 1, 0);
        assertThat(OrderCsv.lines(List.of(order, order))).isEqualTo(
                "o-1,day,'=x,confirmed,a:1 b:2,1970-01-01T00:00:00.001Z,,\r\n".repeat(2));
        assertThat(OrderCsv.cell("")).isEmpty();
        assertThat(OrderCsv.cell("a\r\nb")).isEqualTo("\"a\r\nb\"");
        assertThat(OrderCsv.HEADER.split(",")).hasSize(8);
    }
}
