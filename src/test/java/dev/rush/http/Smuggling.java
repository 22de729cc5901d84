package dev.rush.http;

import static dev.rush.testing.Answers.json;

import dev.rush.testing.TestSale;
import java.util.List;
import java.util.stream.Stream;

/**
 * Requests whose end two servers may see in different places. Each hides a second request, which
 * some proxy would take for the body of the first.
 */
final class Smuggling {
    private static final String HIDDEN = "GET /problems/sold-out HTTP/1.1\r\nHost: x\r\n\r\n";
    private static final String BUY = json("{'items':[{'sku':'apple'}]}");
    private static final String CHUNKED =
            "%x\r\n%s\r\n0\r\n\r\n".formatted(BUY.length(), BUY);

    private Smuggling() {
    }

    /** Requests that must be refused, their connections closed. */
    static List<String> requests(TestSale sale) {
        String length = "Content-Length: " + BUY.length() + "\r\n";
        String all = "Content-Length: " + (CHUNKED.length() + HIDDEN.length()) + "\r\n";
        return Stream.of(
                head(sale, "1.1", all + "Transfer-Encoding: chunked\r\n") + CHUNKED,
                head(sale, "1.1", "Transfer-Encoding: chunked\r\n" + all) + CHUNKED,
                head(sale, "1.1", "Transfer-Encoding: chunked, xchunked\r\n") + CHUNKED,
                head(sale, "1.1", "Transfer-Encoding: xchunked\r\n") + CHUNKED,
                head(sale, "1.1", "Transfer-Encoding: chunked, identity\r\n") + CHUNKED,
                head(sale, "1.1", "Transfer-Encoding: identity\r\n") + CHUNKED,
                head(sale, "1.1", "Transfer-Encoding: gzip, chunked\r\n") + CHUNKED,
                head(sale, "1.1", "Transfer-Encoding: \"chunked\"\r\n") + CHUNKED,
                head(sale, "1.1", "Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n")
                        + CHUNKED,
                head(sale, "1.1", "Transfer-Encoding: x\r\nTransfer-Encoding: chunked\r\n")
                        + CHUNKED,
                head(sale, "1.1", "Transfer-Encoding:\r\n chunked\r\n") + CHUNKED,
                head(sale, "1.1", "Transfer-Encoding : chunked\r\n") + CHUNKED,
                head(sale, "1.1", "Transfer-Encoding: chunked\n") + CHUNKED,
                head(sale, "1.0", "Transfer-Encoding: chunked\r\n") + CHUNKED,
                head(sale, "1.0", all + "Transfer-Encoding: chunked\r\n") + CHUNKED,
                head(sale, "1.1", length + all) + BUY,
                head(sale, "1.1", length + length) + BUY,
                head(sale, "1.1", "Content-Length: %d, %<d\r\n".formatted(BUY.length())) + BUY,
                head(sale, "1.1", "Content-Length: +" + BUY.length() + "\r\n") + BUY,
                head(sale, "1.1", "Content-Length: 0x1b\r\n") + BUY,
                head(sale, "1.1", "Content-Length: \r\n") + BUY,
                head(sale, "1.1", "Content-Length:\r\n " + BUY.length() + "\r\n") + BUY,
                head(sale, "1.1", "Content-Length : " + BUY.length() + "\r\n") + BUY,
                head(sale, "1.1", length + "Host: y\r\n") + BUY,
                head(sale, "1.1", length + "X: y\nX-User-Id: z\r\n") + BUY,
                chunks(sale, "1b;a=\"\r\n\"\r\n"), chunks(sale, "1b;a=\n\r\n"),
                chunks(sale, "1b\n"), chunks(sale, "10000000000000001b\r\n"),
                chunks(sale, "0x1b\r\n"), chunks(sale, "-1b\r\n"), chunks(sale, "+1b\r\n"),
                chunks(sale, "1b z\r\n"), chunks(sale, " \r\n"),
                head(sale, "1.1", "Transfer-Encoding: chunked\r\n") + "1b\r\n" + BUY
                        + "xx0\r\n\r\n")
                .map(request -> request + HIDDEN).toList();
    }

    /** Whether this is no more than one answer, a refusal, or none; HTTP/1.x only. */
    static boolean isRefusedOnce(String answers) {
        return answers.isEmpty() || answers.startsWith("HTTP/1.")
                && answers.indexOf("HTTP/1.", 1) < 0 && answers.charAt(9) == '4'
                && !answers.contains("sold-out");
    }

    private static String chunks(TestSale sale, String sizeLine) {
        return head(sale, "1.1", "Transfer-Encoding: chunked\r\n") + sizeLine + BUY
                + "\r\n0\r\n\r\n";
    }

    private static String head(TestSale sale, String version, String framing) {
        return "POST " + sale.purchases() + " HTTP/" + version + "\r\nHost: x\r\n"
                + "X-User-Id: smuggler\r\nContent-Type: application/json\r\n"
                + "Connection: keep-alive\r\n" + framing + "\r\n";
    }
}
