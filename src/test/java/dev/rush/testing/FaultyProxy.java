package dev.rush.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A TCP proxy on 127.0.0.1 that injects faults. Its mode applies to open and new connections. */
public final class FaultyProxy implements AutoCloseable {

    private static final int BUFFER = 16_384;

    private final ServerSocket server;
    private final int target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicInteger accepted = new AtomicInteger();
    private Mode mode = Mode.PASS;
    private boolean closed;

    /** The treatment of bytes and connections. */
    public enum Mode {
        /** Bytes pass. */
        PASS,
        /**
         * Connections are accepted and bytes read, but nothing is forwarded, as with a frozen
         * process. Bytes that were held back pass once the mode changes.
         */
        BLACK_HOLE,
        /**
         * As {@link #BLACK_HOLE}, but a connection that was used meanwhile never answers again, as
         * if its host were gone.
         */
        DEAF,
        /** Requests are forwarded; the connection is cut at the first byte of an answer. */
        CUT_AFTER_FORWARD,
        /** Every connection is cut at once. */
        REFUSE
    }

    private FaultyProxy(ServerSocket server, int target) {
        this.server = server;
        this.target = target;
    }

    /** Starts a proxy in front of a port of 127.0.0.1. */
    public static FaultyProxy before(int target) {
        try {
            FaultyProxy proxy = new FaultyProxy(
                    new ServerSocket(0, 1024, InetAddress.getLoopbackAddress()), target);
            start("accept", proxy::accept);
            return proxy;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The port on 127.0.0.1. */
    public int port() {
        return server.getLocalPort();
    }

    /** The number of connections accepted so far. */
    public int accepted() {
        return accepted.get();
    }

    /** Changes the treatment of bytes and connections from now on. */
    public void mode(Mode next) {
        synchronized (this) {
            mode = next;
            notifyAll();
        }
        if (next == Mode.REFUSE) {
            cut();
        }
    }

    /** Cuts all connections that are open now. */
    public void cut() {
        sockets.forEach(FaultyProxy::closeQuietly);
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        cut();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                accepted.incrementAndGet();
                sockets.add(client);
                start("connection", () -> serve(client));
            } catch (IOException e) {
                // Closed, or the client disconnected before it was accepted.
            }
        }
    }

    private void serve(Socket client) {
        try {
            if (flowing() == Mode.REFUSE) {
                return;
            }
            try (Socket redis = new Socket()) {
                sockets.add(redis);
                redis.setTcpNoDelay(true);
                client.setTcpNoDelay(true);
                redis.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), target));
                start("answers", () -> pump(redis, client, true));
                pump(client, redis, false);
                sockets.remove(redis);
            }
        } catch (IOException e) {
            // The server is down, so the client's connection ends, too.
        } finally {
            closeQuietly(client);
            sockets.remove(client);
        }
    }

    private void pump(Socket from, Socket to, boolean answers) {
        byte[] buffer = new byte[BUFFER];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                Mode now = flowing();
                if (now == Mode.REFUSE || now == Mode.CUT_AFTER_FORWARD && answers) {
                    break;
                }
                out.write(buffer, 0, read);
                out.flush();
            }
        } catch (IOException e) {
            // Either side is gone.
        }
        closeQuietly(from);
        closeQuietly(to);
    }

    /** Waits until bytes may pass, and returns the mode. */
    private synchronized Mode flowing() {
        boolean deaf = mode == Mode.DEAF;
        while ((deaf || mode == Mode.BLACK_HOLE) && !closed) {
            try {
                wait();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        return closed ? Mode.REFUSE : mode;
    }

    private static void start(String what, Runnable work) {
        Thread thread = new Thread(work, "faulty-proxy-" + what);
        thread.setDaemon(true);
        thread.start();
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is closed anyway.
        }
    }
}
