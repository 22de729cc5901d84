package dev.rush.testing;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Pipelines tens of thousands of requests over a few connections, and counts answers by status. */
public final class Flood {
    private static final int CONNECTIONS = 8;
    private static final int DEPTH = 50;

    private Flood() {
    }

    /**
     * Sends requests unchanged and reads all answers.
     *
     * @param count   number of requests
     * @param request creates the request with this number, from 0
     * @return the number of answers by status
     */
    public static Map<Integer, Integer> send(
            URI server, int count, IntFunction<String> request) {
        Map<Integer, Integer> answers = new ConcurrentSkipListMap<>();
        Thread[] senders = IntStream.range(0, CONNECTIONS).mapToObj(sender -> new Thread(() ->
                sendShare(server, sender, count, request)
                        .forEach((status, times) -> answers.merge(status, times, Integer::sum))))
                .toArray(Thread[]::new);
        for (Thread sender : senders) {
            sender.start();
        }
        try {
            for (Thread sender : senders) {
                sender.join();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return answers;
    }

    private static Map<Integer, Integer> sendShare(
            URI server, int first, int count, IntFunction<String> request) {
        Map<Integer, Integer> answers = new TreeMap<>();
        try (Socket socket = new Socket(server.getHost(), server.getPort())) {
            OutputStream out = socket.getOutputStream();
            InputStream in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
            int waiting = 0;
            for (int i = first; i < count; i += CONNECTIONS) {
                out.write(request.apply(i).getBytes(StandardCharsets.ISO_8859_1));
                if (++waiting == DEPTH) {
                    for (; waiting > 0; waiting--) {
                        answers.merge(status(in), 1, Integer::sum);
                    }
                }
            }
            for (; waiting > 0; waiting--) {
                answers.merge(status(in), 1, Integer::sum);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return answers;
    }

    private static int status(InputStream in) throws IOException {
        int status = Integer.parseInt(line(in).substring(9, 12));
        int length = 0;
        for (String field = line(in); !field.isEmpty(); field = line(in)) {
            if (field.regionMatches(true, 0, "content-length:", 0, 15)) {
                length = Integer.parseInt(field.substring(15).trim());
            }
        }
        in.skipNBytes(length);
        return status;
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("the connection ended after: " + line);
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }
}
