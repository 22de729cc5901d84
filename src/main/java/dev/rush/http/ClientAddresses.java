package dev.rush.http;

import dev.rush.RushConfig;
import io.netty.util.NetUtil;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Identifies clients of calls without an identity by address. Of an IPv6 address only the /64
 * network counts, because one subscriber has all of it.
 */
@Singleton
public class ClientAddresses {

    private static final int IPV4_BYTES = 4;
    private static final int NETWORK_BYTES = 8;
    private static final String UNKNOWN = "unknown";

    /** The proxy's header, or null if clients connect directly. */
    private final @Nullable String header;

    @Inject
    ClientAddresses(RushConfig config) {
        this.header = config.http().clientAddressHeader().orElse(null);
    }

    /** The address as a key; all requests without one share a key. */
    String of(HttpServerRequest request) {
        List<String> named = header == null ? List.of() : request.headers().getAll(header);
        return key(named.isEmpty() ? request.remoteAddress().host() : last(named));
    }

    /**
     * The last address is the one that the proxy itself saw. A client may send others before it,
     * and some proxies add a separate line after the client's.
     */
    static String last(List<String> lines) {
        String list = lines.get(lines.size() - 1);
        return list.substring(list.lastIndexOf(',') + 1).strip();
    }

    static String key(String address) {
        byte[] bytes = address == null ? null : bytes(address);
        return bytes == null ? UNKNOWN : HexFormat.of().formatHex(
                bytes.length == IPV4_BYTES ? bytes : Arrays.copyOf(bytes, NETWORK_BYTES));
    }

    /** Some proxies append the client's port, and some write IPv4 addresses as IPv6. */
    private static byte @Nullable [] bytes(String address) {
        byte[] bytes = NetUtil.createByteArrayFromIpAddressString(address);
        if (bytes == null) {
            HostAndPort withPort = HostAndPort.parseAuthority(address, -1);
            bytes = withPort == null ? null
                    : NetUtil.createByteArrayFromIpAddressString(withPort.host());
        }
        try {
            return bytes == null ? null : InetAddress.getByAddress(bytes).getAddress();
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }
}
