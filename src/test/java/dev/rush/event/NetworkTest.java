package dev.rush.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which addresses are public, and which lie in a network. */
class NetworkTest {

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "10.1.2.3", "100.64.0.1", "100.127.255.255", "127.0.0.1",
        "127.8.8.8", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1",
        "192.0.2.7", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255",
        "198.51.100.1", "203.0.113.1", "224.0.0.1", "255.255.255.255", "::", "::1",
        "::ffff:10.0.0.1", "::10.0.0.1", "64:ff9b::a00:1", "100::1", "2001::1", "2001:db8::1",
        "2002:a00:1::1", "3fff::1", "fc00::1", "fd12:3456::1", "fe80::1", "fec0::1", "ff02::1"})
    void privateLocalAndReservedAddressesAreNotPublic(String address) throws UnknownHostException {
        assertThat(Network.isPublic(InetAddress.getByName(address))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255",
        "100.128.0.0", "172.15.255.255", "172.32.0.0", "192.167.255.255", "198.20.0.0",
        "223.255.255.255", "2606:4700::1111", "2a00:1450::1", "::ffff:1.1.1.1"})
    void otherAddressesArePublic(String address) throws UnknownHostException {
        assertThat(Network.isPublic(InetAddress.getByName(address))).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "10.1.2.0/24, 10.1.2.255, true",
        "10.1.2.0/24, 10.1.3.0, false",
        "10.1.2.128/25, 10.1.2.127, false",
        "10.1.2.128/25, 10.1.2.128, true",
        "10.1.2.3, 10.1.2.3, true",
        "10.1.2.3, 10.1.2.4, false",
        "0.0.0.0/0, 255.1.1.1, true",
        "0.0.0.0/0, ::1, false",
        "fd00::/8, fdff::1, true",
        "fd00::/8, fc00::1, false",
    })
    void networkHasTheAddressesOfItsPrefix(String network, String address, boolean has)
            throws UnknownHostException {
        assertThat(Network.parse(network).has(InetAddress.getByName(address))).isEqualTo(has);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "localhost", "10.0.0.0/33", "10.0.0.0/-1", "fd00::/129", "10.0.0",
        "10.0.0.0/", "10.0.0.256/8", "a:b.example/8", "10.0.0.0/8/8"})
    void invalidNetworkIsRefused(String text) {
        assertThatThrownBy(() -> Network.parse(text))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
