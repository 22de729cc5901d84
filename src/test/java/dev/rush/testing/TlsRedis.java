package dev.rush.testing;

import dev.rush.dev.EmbeddedRedis;
import dev.rush.dev.Ports;
import java.util.ArrayList;
import java.util.List;

/**
 * A Redis that speaks TLS on one port, for pods, and plain text on another, for tests. The bundled
 * Redis may be built without TLS; an installed one usually has it.
 */
public final class TlsRedis implements AutoCloseable {
    private final EmbeddedRedis server;
    private final int tlsPort;

    private TlsRedis(EmbeddedRedis server, int tlsPort) {
        this.server = server;
        this.tlsPort = tlsPort;
    }

    /**
     * Starts a server.
     *
     * @param arguments further command-line arguments of the server
     */
    public static TlsRedis start(Certificates certificates, String... arguments) {
        int tlsPort = Ports.free();
        List<String> all = new ArrayList<>(List.of("--tls-port", Integer.toString(tlsPort),
                "--tls-cert-file", certificates.certificate().toString(),
                "--tls-key-file", certificates.key().toString(),
                "--tls-ca-cert-file", certificates.certificate().toString(),
                "--tls-auth-clients", "no"));
        all.addAll(List.of(arguments));
        return new TlsRedis(EmbeddedRedis.start(all.toArray(String[]::new)), tlsPort);
    }

    /** Returns whether the Redis of this machine supports TLS. */
    public static boolean isSupported() {
        try (EmbeddedRedis redis = EmbeddedRedis.start("--tls-port", "0")) {
            return true;
        } catch (IllegalStateException unknownSetting) {
            return false;
        }
    }

    /** Returns the server; its port is the one without TLS. */
    public EmbeddedRedis server() {
        return server;
    }

    /** Returns the port with TLS. */
    public int tlsPort() {
        return tlsPort;
    }

    @Override
    public void close() {
        server.close();
    }
}
