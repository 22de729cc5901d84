package dev.rush.redis.cluster;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The address of a node. All names of nodes (configuration, CLUSTER SLOTS, MOVED, ASK) are parsed
 * here, so that one node has one name.
 *
 * @param host a name, an IPv4 address or an IPv6 address without brackets
 * @param port 1 to 65535
 */
record Endpoint(String host, int port) {

    private static final int PORT_MAX = 65_535;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9.-]{0,253})");
    private static final Pattern IPV6 = Pattern.compile("[0-9A-Fa-f:.]{2,45}(%[A-Za-z0-9]{1,16})?");
    private static final Pattern PORT = Pattern.compile("[0-9]{1,5}");

    /**
     * Reads {@code host:port}, {@code [ipv6]:port} or, as Redis writes it, {@code ipv6:port}: the
     * last colon ends the host. An empty host or {@code ?} is unknown to the node, and stands for
     * the host of the node that answered.
     *
     * @param asked the node that answered, or null
     * @return empty if the text is not an endpoint
     */
    static Optional<Endpoint> parse(String text, @Nullable Endpoint asked) {
        int colon = text.lastIndexOf(':');
        if (colon < 0 || !PORT.matcher(text.substring(colon + 1)).matches()) {
            return Optional.empty();
        }
        return of(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)), asked);
    }

    /** The endpoint of a host as Redis writes it, and a port; as {@link #parse}. */
    static Optional<Endpoint> of(String host, long port, @Nullable Endpoint asked) {
        if (port < 1 || port > PORT_MAX) {
            return Optional.empty();
        }
        if (isUnknown(host)) {
            return asked == null ? Optional.empty()
                    : Optional.of(new Endpoint(asked.host, (int) port));
        }
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        String bare = bracketed ? host.substring(1, host.length() - 1) : host;
        boolean valid = bare.indexOf(':') >= 0 ? IPV6.matcher(bare).matches()
                : !bracketed && NAME.matcher(bare).matches() && isHostOfUri(bare);
        return valid ? Optional.of(new Endpoint(bare, (int) port)) : Optional.empty();
    }

    /** The client connects to URIs, which reject {@code 127.0.1} as a host and lose the port. */
    private static boolean isHostOfUri(String host) {
        try {
            return new URI("redis://" + host).parseServerAuthority().getHost() != null;
        } catch (URISyntaxException e) {
            return false;
        }
    }

    /** Whether Redis uses this host for an unknown one. */
    static boolean isUnknown(String host) {
        return host == null || host.isEmpty() || host.equals("?");
    }

    // Hand-written, because this is a key on the path of every call, and the generated ones are
    // slow in the native executable.
    @Override
    public boolean equals(Object other) {
        return this == other || other instanceof Endpoint endpoint && port == endpoint.port
                && host.equals(endpoint.host);
    }

    @Override
    public int hashCode() {
        return 31 * host.hashCode() + port;
    }

    /** The endpoint as in a URI: {@code host:port}, with an IPv6 address in brackets. */
    @Override
    public String toString() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
