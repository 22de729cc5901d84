package dev.rush.redis;

import java.nio.charset.StandardCharsets;

/** Maps keys to slots as Redis Cluster does. */
public final class Slots {

    /** The number of slots of a cluster. */
    public static final int COUNT = 16_384;

    private static final int[] CRC16 = new int[256];

    static {
        for (int i = 0; i < 256; i++) {
            int crc = i << 8;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 0x8000) != 0 ? (crc << 1) ^ 0x1021 : crc << 1;
            }
            CRC16[i] = crc & 0xFFFF;
        }
    }

    private Slots() {
    }

    /**
     * The slot of a key: CRC16/XMODEM of its hash tag, or of the whole key without one, modulo
     * 16384.
     *
     * @see <a href="https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/">
     *      Redis cluster specification</a>
     */
    public static int of(String key) {
        int open = key.indexOf('{');
        if (open >= 0) {
            int close = key.indexOf('}', open + 1);
            if (close > open + 1) {
                key = key.substring(open + 1, close);
            }
        }
        int crc = 0;
        for (byte b : key.getBytes(StandardCharsets.UTF_8)) {
            crc = ((crc << 8) ^ CRC16[((crc >>> 8) ^ b) & 0xFF]) & 0xFFFF;
        }
        return crc % COUNT;
    }
}
