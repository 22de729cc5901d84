package dev.rush.http;

import static dev.rush.testing.Answers.json;

import dev.rush.testing.TestSale;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Requests of attackers and of broken clients. */
final class HostileRequests {
    private static final String BUY = json("{'items':[{'sku':'apple'}]}");

    private HostileRequests() {
    }

    /** Requests that every HTTP server must be able to read. */
    static List<String> wellFormed(TestSale sale) {
        List<String> requests = new ArrayList<>();
        for (String path : List.of("/v1/sales/%7Bx%7D", "/v1/sales/a%00b", "/v1/sales/%20",
                "/v1/sales/a%0D%0AFORGED", "/v1/sales/%C3%A9", "/v1/sales/%E4", "/v1/sales/..%2f..",
                "/v1/sales/%2e%2e/x", "//v1//sales//x", "/v1/sales/" + "x".repeat(2_000),
                "/v1/sales/x;a=b", "/v1/sales/$%7Bx%7D", "/v1/sales?limit=%0D%0AFORGED",
                sale.path() + "/orders?user=%0D%0AFORGED", sale.path() + "/orders/%7B%7D",
                "/v1/blocklist/%0AFORGED", "/problems/%0AFORGED", "/problems/%3Cscript%3E",
                "/problems/accepted", "/nowhere", "/v1", "/", "/v1/sales/x/y/z", "/q/nowhere")) {
            requests.add(request("GET", path, "X-User-Roles: operator\r\n", ""));
            requests.add(request("PUT", path, "X-User-Roles: operator\r\n", "{}"));
        }
        for (String method : List.of("DELETE", "PUT", "PATCH", "FOO", "TRACE", "PROPFIND")) {
            requests.add(request(method, sale.purchases(), "", BUY));
            requests.add(request(method, sale.path() + "/orders", "", ""));
        }
        for (String header : List.of("Accept: garbage", "Accept: text/html", "Accept: ;;,",
                "Accept: */*;q=x", "Accept: application/json;q=0", "Accept-Language: \u00e4",
                "Accept-Charset: x", "Accept-Encoding: x", "Content-Encoding: gzip",
                "Authorization: Bearer x", "Authorization: \u00e4", "If-None-Match: \"",
                "If-Match: x", "If-Modified-Since: never", "Range: bytes=5-1", "Cookie: ;;=",
                "Idempotency-Key: a b", "Idempotency-Key: \u00e4", "Idempotency-Key:",
                "Idempotency-Key: " + "k".repeat(5_000), "X-User-Id: b", "X-User-Id: a b",
                "X-User-Roles: \u00e4", "X-Forwarded-For: FORGED", "X-Http-Method-Override: PUT",
                "Expect: 100-continue", "Content-Type: text/plain", "Origin: http://evil",
                "Upgrade: websocket\r\nConnection: upgrade")) {
            requests.add(request("POST", sale.purchases(), header + "\r\n", BUY));
            requests.add(request("GET", sale.path(), header + "\r\n", ""));
        }
        for (String type : List.of("text/plain", "application/xml", "garbage", "application/",
                "application/json; charset=\"", "application/json; charset=utf-16", "a/b/c",
                "application/json;;;", "multipart/form-data", "multipart/form-data; boundary=x",
                "application/x-www-form-urlencoded", "*/*", "application/json, text/plain", "")) {
            requests.add(typed(sale.purchases(), type));
        }
        return requests;
    }

    /** Bytes that are not, or not quite, an HTTP request. */
    static List<String> malformed(TestSale sale) {
        String post = "POST " + sale.purchases() + " HTTP/1.1\r\nHost: x\r\nX-User-Id: m\r\n"
                + "Content-Type: application/json\r\nConnection: close\r\n";
        return List.of(
                "GET /v1/sales/a\0b HTTP/1.1\r\nHost: x\r\n\r\n",
                "GET /v1/sales/{x} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                "GET /v1/sales/% HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                "GET /v1/sales/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                "GET /v1/sales/\u00e9 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                "GET /v1/sales/a|b\\c^d HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                "GET /v1/sales/x?a=%zz&b={ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                "GET * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                "GET v1/sales HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                "GET  HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                "GET /" + "x".repeat(20_000) + " HTTP/1.1\r\nHost: x\r\n\r\n",
                "GET /x HTTP/1.1\r\nHost: x\r\nBig: " + "x".repeat(20_000) + "\r\n\r\n",
                "GET /x HTTP/1.1\r\nHost: x\r\n" + "A: b\r\n".repeat(5_000) + "\r\n",
                "GET /x HTTP/1.1\r\nHost: x\r\nX-User-Id: a\0b\r\n\r\n",
                "GET /x HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n",
                "GET /x HTTP/1.1\r\nHost: x\r\n: empty\r\n\r\n",
                "GET /x HTTP/9.9\r\nHost: x\r\nConnection: close\r\n\r\n",
                "GET /x\r\n", "\r\n\r\n\r\n", "FORGED\r\nFORGED\r\n\r\n",
                "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\u0016\u0003\u0001\u0002\0\u0001\0\u0001",
                "CONNECT x:1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                post + "Content-Length: -1\r\n\r\n" + BUY,
                post + "Content-Length: abc\r\n\r\n" + BUY,
                post + "Content-Length: 99999999999999999999\r\n\r\n" + BUY,
                post + "Content-Length: 9223372036854775807\r\n\r\n" + BUY,
                post + "Content-Length: +1234567\r\n\r\n" + BUY,
                post + "Content-Length: 5\r\nContent-Length: 6\r\n\r\n" + BUY,
                post + "Transfer-Encoding: chunked\r\n\r\nzz\r\n" + BUY + "\r\n0\r\n\r\n",
                post + "Transfer-Encoding: chunked\r\n\r\n-5\r\n" + BUY + "\r\n0\r\n\r\n",
                post + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n" + BUY,
                post + "Transfer-Encoding: identity\r\n\r\n" + BUY,
                post + "Content-Length: 27\r\nTransfer-Encoding: identity\r\n\r\n" + BUY,
                post + "Content-Length: 500\r\n\r\n" + BUY);
    }

    /** Bodies of a purchase, none of which may take anything. */
    static List<byte[]> bodies() {
        List<byte[]> bodies = new ArrayList<>();
        Stream.of("", " ", "null", "true", "7", "'x'", "[]", "{", "{]",
                "{'items':[{'sku':'apple'}]}x",
                "{'items':[{'sku':'apple'}]}{}", "/* x */{}", "{items:[]}", "{'items':'apple'}",
                "{'items':{'sku':'apple'}}", "{'items':[['apple']]}", "{'items':['apple']}",
                "{'items':[{'sku':'apple','sku':'apple'}]}",
                "{'items':[{'sku':'apple'}],'items':[{'sku':'apple'}]}",
                "{'items':[{'sku':'apple','quantity':1,'quantity':1}]}",
                "{'items':[{'sku':'apple'}],'Items':[]}", "{'items':[{'SKU':'apple'}]}",
                "{'items':[{'sku':'apple','__proto__':1}]}", "{'items':[{'sku':'{x}'}]}",
                "{'items':[{'sku':'apple:1,pear'}]}", "{'items':[{'sku':'ap\\u0000ple'}]}",
                "{'items':[{'sku':'ap\\r\\nFORGED'}]}", "{'items':[{'sku':'\\ud800'}]}",
                "{'items':[{'sku':'\u00e4'}]}", "{'items':[{'sku':['apple']}]}",
                "{'items':[{'sku':'apple','quantity':{}}]}", "{'\\r\\nFORGED':1}", "{'\\ud800':1}",
                "{'items':[{'sku':'apple','quantity':" + "9".repeat(5_000) + "}]}",
                "{'items':[{'sku':'apple','quantity':1" + "0".repeat(900) + "}]}",
                "{'items':[{'sku':'apple','quantity':1e999999999}]}",
                "{'items':[{'sku':'" + "a".repeat(100_000) + "'}]}",
                "{'" + "x".repeat(60_000) + "':1}", "[".repeat(100_000),
                "{'items':" + "[".repeat(50_000) + "]".repeat(50_000) + "}",
                "{'x':".repeat(50_000), "{'items':[" + "{},".repeat(100_000) + "{}]}",
                "{'items':[{'sku':'apple','quantity':1,}]}", "{'items':[,]}", "\0", "{}\0")
                .map(text -> json(text).getBytes(StandardCharsets.ISO_8859_1))
                .forEach(bodies::add);
        bodies.add(new byte[] {(byte) 0xff, (byte) 0xfe, (byte) 0xfd});
        bodies.add(new byte[] {'{', '"', (byte) 0xc3, (byte) 0x28, '"', ':', '1', '}'});
        return bodies;
    }

    private static String request(String method, String path, String headers, String body) {
        String user = headers.startsWith("X-User-Id") ? "" : "X-User-Id: h\r\n";
        String type = body.isEmpty() || headers.startsWith("Content-Type") ? ""
                : "Content-Type: application/json\r\n";
        String length = body.isEmpty() ? "" : "Content-Length: " + body.length() + "\r\n";
        return method + " " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + user + type
                + length + headers + "\r\n" + body;
    }

    private static String typed(String path, String type) {
        return request("POST", path, "Content-Type: " + type + "\r\n", BUY);
    }
}
