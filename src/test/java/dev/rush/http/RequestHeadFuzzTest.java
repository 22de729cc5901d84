package dev.rush.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Whatever bytes arrive on a connection, the decoder throws nothing, sees the same requests whether
 * the bytes arrive at once or one by one, ends each request at one place only, and reads no further
 * after one that it refused.
 */
class RequestHeadFuzzTest {

    @FuzzTest(maxDuration = "1m")
    void requestsAreTheSameHoweverTheirBytesArrive(byte[] bytes) {
        List<String> whole = read(bytes, Math.max(1, bytes.length));
        assertThat(read(bytes, 1)).as("byte by byte").isEqualTo(whole);
        assertThat(read(bytes, 7)).as("by sevens").isEqualTo(whole);
    }

    private static List<String> read(byte[] bytes, int step) {
        EmbeddedChannel channel = new EmbeddedChannel(
                new StrictRequestDecoder(new HttpDecoderConfig(), 60_000));
        List<String> requests = new ArrayList<>();
        StringBuilder body = new StringBuilder();
        boolean refused = false;
        for (int from = 0; from < bytes.length; from += step) {
            channel.writeInbound(Unpooled.copiedBuffer(bytes, from,
                    Math.min(step, bytes.length - from)));
            for (Object read = channel.readInbound(); read != null; read = channel.readInbound()) {
                assertThat(refused).as("read on after a refusal: %s", read).isFalse();
                if (read instanceof HttpRequest request) {
                    refused = request.decoderResult().isFailure();
                    requests.add(refused ? "refused" : head(request));
                }
                if (!refused && read instanceof HttpContent content) {
                    refused = content.decoderResult().isFailure();
                    body.append(content.content().toString(StandardCharsets.ISO_8859_1));
                    if (refused || content instanceof LastHttpContent) {
                        requests.add(refused ? "cut off" : body.toString());
                        body.setLength(0);
                    }
                }
                ReferenceCountUtil.release(read);
            }
        }
        channel.finishAndReleaseAll();
        return requests;
    }

    private static String head(HttpRequest request) {
        List<String> lengths = request.headers().getAll("Content-Length");
        List<String> encodings = request.headers().getAll("Transfer-Encoding");
        assertThat(lengths.size() + encodings.size()).as("where it ends").isLessThanOrEqualTo(1);
        assertThat(lengths).allSatisfy(length -> assertThat(length).matches("[0-9]{1,18}"));
        assertThat(request.headers().getAll("Host")).hasSizeLessThanOrEqualTo(1);
        assertThat(request.headers().size()).isLessThanOrEqualTo(100);
        assertThat(request.protocolVersion().text()).isIn("HTTP/1.1", "HTTP/1.0");
        return request.method() + " " + request.uri() + " " + request.headers().entries();
    }
}
