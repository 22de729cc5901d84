package dev.rush.testing;

import java.nio.charset.StandardCharsets;

/** Hash slots of Redis Cluster, computed independently so that a mistake in the service shows. */
public final class Slots {
    /** The number of slots. */
    public static final int COUNT = 16_384;

    private static final int POLYNOMIAL = 0x1021;

    private Slots() {
    }

    /** Returns the slot of a key, or of its hash tag if it has one. */
    public static int of(String key) {
        int open = key.indexOf('{');
        int close = key.indexOf('}', open + 1);
        String hashed = open >= 0 && close > open + 1 ? key.substring(open + 1, close) : key;
        int crc = 0;
        for (byte next : hashed.getBytes(StandardCharsets.UTF_8)) {
            crc ^= (next & 0xff) << 8;
            for (int bit = 0; bit < 8; bit++) {
                boolean carry = (crc & 0x8000) != 0;
                crc = (crc << 1) & 0xffff;
                if (carry) {
                    crc ^= POLYNOMIAL;
                }
            }
        }
        return crc % COUNT;
    }
}
