package dev.rush.event;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * A network: the addresses with the same leading bits.
 *
 * @param address 4 or 16 bytes
 * @param bits    the prefix length
 */
record Network(byte[] address, int bits) {

    private static final String LITERAL =
            "[0-9]{1,3}(\\.[0-9]{1,3}){3}|[0-9a-fA-F:]*:[0-9a-fA-F:.]*";
    /** Private, local and reserved networks, which are not part of the public Internet. */
    private static final List<Network> INTERNAL = Stream.of("0.0.0.0/8", "10.0.0.0/8",
            "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
            "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
            "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4").map(Network::parse)
            .toList();
    /** The global unicast range of IPv6, part of which is not public. */
    private static final Network PUBLIC = parse("2000::/3");
    /** Tunnels to arbitrary IPv4 addresses, and networks for documentation and tests. */
    private static final List<Network> NOT_PUBLIC = Stream.of("2001::/23", "2001:db8::/32",
            "2002::/16", "3fff::/20").map(Network::parse).toList();

    /**
     * A network from {@code address/bits}.
     *
     * @throws IllegalArgumentException if the text is malformed
     */
    static Network parse(String text) {
        int slash = text.indexOf('/');
        String literal = slash < 0 ? text : text.substring(0, slash);
        if (!isLiteral(literal)) {
            throw new IllegalArgumentException(text + " is not a network such as 10.1.2.0/24");
        }
        try {
            byte[] address = InetAddress.getByName(literal).getAddress();
            int bits = slash < 0 ? 8 * address.length
                    : Integer.parseInt(text.substring(slash + 1));
            if (bits < 0 || bits > 8 * address.length) {
                throw new IllegalArgumentException(text + " has too many bits");
            }
            return new Network(address, bits);
        } catch (UnknownHostException | NumberFormatException e) {
            throw new IllegalArgumentException(text + " is not a network such as 10.1.2.0/24", e);
        }
    }

    /** Whether a host is an address rather than a name. */
    static boolean isLiteral(String host) {
        return host.matches(LITERAL);
    }

    /** Whether an address belongs to the public Internet. */
    static boolean isPublic(InetAddress address) {
        return address instanceof Inet6Address
                ? PUBLIC.has(address)
                        && NOT_PUBLIC.stream().noneMatch(network -> network.has(address))
                : INTERNAL.stream().noneMatch(network -> network.has(address));
    }

    /** Whether an address lies in this network. */
    boolean has(InetAddress other) {
        byte[] bytes = other.getAddress();
        if (bytes.length != address.length) {
            return false;
        }
        int wholeBytes = bits / 8;
        int moreBits = bits % 8;
        return Arrays.equals(address, 0, wholeBytes, bytes, 0, wholeBytes) && (moreBits == 0
                || ((address[wholeBytes] ^ bytes[wholeBytes]) & 0xff) >> 8 - moreBits == 0);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Network network && bits == network.bits
                && Arrays.equals(address, network.address);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(address) + bits;
    }

    @Override
    public String toString() {
        return Arrays.toString(address) + "/" + bits;
    }
}
