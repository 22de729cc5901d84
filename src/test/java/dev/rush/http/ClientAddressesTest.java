package dev.rush.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Which addresses count as one client. */
class ClientAddressesTest {

    @Test
    void anIpv4AddressIsOneClient() {
        assertThat(ClientAddresses.key("192.0.2.7")).isEqualTo(ClientAddresses.key("192.0.2.7"))
                .isNotEqualTo(ClientAddresses.key("192.0.2.8"));
    }

    @Test
    void anIpv6NetworkOf64BitsIsOneClient() {
        assertThat(ClientAddresses.key("2001:db8:1:2::1"))
                .isEqualTo(ClientAddresses.key("2001:db8:1:2:ffff:ffff:ffff:ffff"))
                .isNotEqualTo(ClientAddresses.key("2001:db8:1:3::1"));
    }

    @Test
    void anIpv4AddressWrittenAsIpv6IsTheSameClient() {
        assertThat(ClientAddresses.key("::ffff:192.0.2.7"))
                .isEqualTo(ClientAddresses.key("192.0.2.7"))
                .isNotEqualTo(ClientAddresses.key("::ffff:192.0.2.8"));
    }

    @Test
    void portsAddedByAProxyAreIgnored() {
        assertThat(ClientAddresses.key("192.0.2.7:4711"))
                .isEqualTo(ClientAddresses.key("192.0.2.7"));
        assertThat(ClientAddresses.key("[2001:db8:1:2::1]:4711"))
                .isEqualTo(ClientAddresses.key("2001:db8:1:2::1"));
    }

    @Test
    void theLastAddressCounts() {
        assertThat(ClientAddresses.last(List.of("198.51.100.1, 192.0.2.7"))).isEqualTo("192.0.2.7");
        assertThat(ClientAddresses.last(List.of("198.51.100.1", "192.0.2.7")))
                .isEqualTo("192.0.2.7");
    }

    @Test
    void invalidAddressesAreOneClient() {
        assertThat(ClientAddresses.key("client.example")).isEqualTo(ClientAddresses.key(""))
                .isEqualTo(ClientAddresses.key(null));
    }
}
